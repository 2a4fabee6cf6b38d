package io.kcp.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.SegmentHeader;
import io.kcp.core.crypto.CryptoConfig;
import io.kcp.core.crypto.DatagramCipher;
import io.kcp.core.fec.FecConfig;
import io.kcp.netty.bootstrap.KcpHandlerBuilder;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients connect to a small server while an attacker floods it with first datagrams from forged addresses. */
@Timeout(240)
class FloodAdmissionTest {

    private static final int SESSIONS = 16_384;
    private static final int UNVALIDATED = 4_096;
    private static final int SOURCES = 65_000;
    private static final int PER_MS = 50;
    private static final int FLOOD_MS = 6_000;
    private static final int CLIENTS = 100;
    private static final int PLAYERS = 5;
    private static final int PATIENCE_MS = 30_000;
    private static final long OPENING_NANOS = 100_000;
    private static final int MEMORY_BYTES = 16 << 20;
    private static final int SHARED_ADDRESS = 0x64400001;

    private static InetSocketAddress source(int number) {
        return SimulatedHosts.address(0xc6120000 + number, 4_000);
    }

    private static InetSocketAddress clientAddress(int number) {
        return SimulatedHosts.address(0x0a000100 + number, 5_000);
    }

    private static FloodedEchoServer network(Consumer<KcpHandlerBuilder> settings) {
        return new FloodedEchoServer(builder -> settings.accept(
            builder.maxSessions(SESSIONS).maxUnvalidatedSessions(UNVALIDATED)));
    }

    /** Connects the clients whose sessions are open before a flood begins. */
    private static List<EchoClient> connectPlayers(FloodedEchoServer network, int count) {
        List<EchoClient> players = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            players.add(network.connect(SimulatedHosts.address(0x0a000001 + i, 5_000), i, null));
        }
        network.runForMs(2_000);
        assertThat(players).allMatch(EchoClient::isConnected);
        return players;
    }

    /** Ends the flood, and verifies that all messages that the players have sent arrive and are echoed in order. */
    private static void assertNothingLost(FloodedEchoServer network, List<EchoClient> players, int sent) {
        network.runForMs(2_000);
        List<String> expected = IntStream.range(0, sent).mapToObj(i -> "m" + i).toList();
        for (EchoClient player : players) {
            List<String> messages = player.recorder().messages();
            assertThat(messages.subList(messages.size() - sent, messages.size())).isEqualTo(expected);
        }
    }

    /**
     * Runs a flood while clients connect, and returns the sorted connect times. The list does not contain clients that never connected.
     * Verifies that no message of the sessions that were open before the flood is lost.
     */
    private static List<Long> connectTimes(FloodedEchoServer network, IntConsumer attack) {
        return connectTimes(network, connectPlayers(network, PLAYERS), CLIENTS, attack);
    }

    private static List<Long> connectTimes(FloodedEchoServer network, List<EchoClient> players, int count, IntConsumer attack) {
        return connectTimes(network, players, count, FloodAdmissionTest::clientAddress, attack);
    }

    private static List<Long> connectTimes(FloodedEchoServer network, List<EchoClient> players, int count,
        IntFunction<InetSocketAddress> addresses, IntConsumer attack) {
        SplittableRandom random = new SplittableRandom(16);
        List<EchoClient> clients = new ArrayList<>();
        int messages = 0;
        int[] sent = new int[1];
        for (int ms = 0; ms < FLOOD_MS + PATIENCE_MS; ms++) {
            if (ms >= 1_000 && clients.size() < count && ms % 30 == 0) {
                clients.add(network.connect(addresses.apply(clients.size()), random.nextInt(), null));
            }
            boolean over = clients.size() == count && clients.stream().allMatch(EchoClient::isConnected);
            if (over) {
                break;
            }
            messages = send(players, ms, messages);
            network.step(PER_MS, i -> attack.accept(sent[0]++));
        }
        assertNothingLost(network, players, messages);
        return clients.stream().filter(EchoClient::isConnected).map(EchoClient::connectMs).sorted().toList();
    }

    /** Sends a numbered message every 100 ms, and returns the number of messages that each player has sent. */
    private static int send(List<EchoClient> players, int ms, int sent) {
        if (ms % 100 != 0) {
            return sent;
        }
        players.forEach(player -> player.send("m" + sent));
        return sent + 1;
    }

    private static void assertAllConnect(List<Long> times) {
        assertAllConnect(times, CLIENTS);
    }

    private static void assertAllConnect(List<Long> times, int count) {
        assertThat(times).hasSize(count);
        assertThat(times.get(count * 95 / 100)).as("95th percentile of the connect times").isLessThanOrEqualTo(3_000);
    }

    @Test
    void clientsConnectDuringAFloodOfNewConversations() {
        SplittableRandom random = new SplittableRandom(1);
        try (FloodedEchoServer network = network(builder -> { })) {
            assertAllConnect(connectTimes(network, i -> network.attack(source(i % SOURCES), random.nextInt())));
            assertThat(network.dropped(DropReason.FIRST_ARRIVAL)).isPositive();
            assertThat(network.stats().closed()).as("no session is evicted").doesNotContainKey(KcpCloseReason.EVICTED);
        }
    }

    /** The clients send parity. With a cipher, the attacker is a hostile peer that has the key. */
    @ParameterizedTest
    @ValueSource(strings = {"null", "xor", "aes-128-gcm"})
    @Tag("slow")
    void clientsWithFecConnectDuringAFlood(String cipherName) {
        CryptoConfig crypto = CryptoConfig.kcptun(cipherName, "k");
        SplittableRandom random = new SplittableRandom(7);
        DatagramCipher cipher = crypto.newCipher(new SecureRandom()::nextBytes);
        FecConfig fec = FecConfig.of(10, 3);
        try (FloodedEchoServer network = network(builder -> builder.crypto(crypto).fec(fec))) {
            network.clients(builder -> builder.crypto(crypto).fec(fec));
            assertAllConnect(connectTimes(network,
                i -> network.attack(source(i % SOURCES), sealed(network, cipher, random.nextInt()))));
            assertThat(network.dropped(DropReason.FIRST_ARRIVAL)).isPositive();
            assertThat(network.dropped(DropReason.UNPROVEN_ADDRESS)).isPositive();
            assertThat(network.stats().closed()).as("no session is evicted").doesNotContainKey(KcpCloseReason.EVICTED);
        }
    }

    /** Each forged datagram makes the server write 300 KB, so that a few dozen sessions would use up the memory. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    @Tag("slow")
    void clientsConnectAlthoughTheServerGreetsForgedAddresses(int copies) {
        try (FloodedEchoServer network = network(builder -> { })) {
            network.greet(100_000, MEMORY_BYTES);
            assertAllConnect(connectTimes(network, copies(network, copies)));
            assertThat(network.mostHeldBytes()).as("memory").isLessThan(MEMORY_BYTES);
            assertThat(network.dropped(DropReason.SETUP_FAILED)).isZero();
            assertThat(network.stats().closed()).doesNotContainKeys(KcpCloseReason.FAILED, KcpCloseReason.MEMORY_LIMIT);
        }
    }

    /** Each forged datagram is repeated after 1.3 s, which is later than the first retransmission of any client. */
    @Test
    void clientsConnectDuringAFloodThatRepeatsItself() {
        try (FloodedEchoServer network = network(builder -> { })) {
            assertAllConnect(connectTimes(network, i -> network.attack(source(i % SOURCES), 7)));
        }
    }

    /** Returns an attack that sends each forged datagram several times. */
    private static IntConsumer copies(FloodedEchoServer network, int copies) {
        SplittableRandom random = new SplittableRandom(2);
        int[] conv = new int[1];
        return i -> {
            if (i % copies == 0) {
                conv[0] = random.nextInt();
            }
            network.attack(source(i / copies % SOURCES), conv[0]);
        };
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 16})
    @Tag("slow")
    void clientsConnectAlthoughForgedDatagramsArriveSeveralTimes(int copies) {
        try (FloodedEchoServer network = network(builder -> { })) {
            assertAllConnect(connectTimes(network, copies(network, copies)));
            assertThat(network.dropped(DropReason.UNPROVEN_ADDRESS)).isPositive();
            assertThat(network.opened()).as("sessions").isLessThanOrEqualTo(UNVALIDATED / 4 + 1 + CLIENTS + PLAYERS);
            assertThat(network.stats().closed()).as("no session is evicted").doesNotContainKey(KcpCloseReason.EVICTED);
        }
    }

    /** Each forged datagram arrives twice, so that only the limit on opened sessions protects new sessions. */
    @Test
    @Tag("slow")
    void sessionsSurviveARoundTripWithoutAddressProofs() {
        try (FloodedEchoServer network = network(builder -> builder.addressProofUnderLoad(false))) {
            List<Long> times = connectTimes(network, List.of(), CLIENTS, copies(network, 2));
            assertThat(times).as("clients that have connected").hasSize(CLIENTS);
            assertThat(network.dropped(DropReason.OPENING_RATE)).isPositive();
            assertThat(network.opened()).as("sessions in %d ms", network.nowMs())
                .isLessThanOrEqualTo((int) (2L * UNVALIDATED * network.nowMs() / 1_000) + UNVALIDATED);
        }
    }

    /** A server that has few places left, or a small limit on unvalidated sessions, is under load as soon as it evicts a session. */
    @ParameterizedTest
    @CsvSource({"100, 100, 60", "1000, 1, 5", "1000, 64, 5", "1000, 65, 5"})
    @Tag("slow")
    void smallOrFullServersAdmitClientsDuringAFlood(int maxSessions, int maxUnvalidated, int count) {
        SplittableRandom random = new SplittableRandom(4);
        try (FloodedEchoServer network =
            new FloodedEchoServer(builder -> builder.maxSessions(maxSessions).maxUnvalidatedSessions(maxUnvalidated))) {
            List<EchoClient> players = connectPlayers(network, count);
            assertAllConnect(connectTimes(network, players, 30, i -> network.attack(source(i % SOURCES), random.nextInt())), 30);
            assertThat(network.dropped(DropReason.FIRST_ARRIVAL)).isPositive();
            assertThat(network.opened()).as("sessions").isLessThan(1_000);
        }
    }

    /** Opening a session takes 0.1 ms, so that the permitted number of sessions per second would take 80 % of the time. */
    @Test
    @Tag("slow")
    void openingSessionsTakesAtMostAFifthOfTheTime() {
        try (FloodedEchoServer network = network(builder -> builder.addressProofUnderLoad(false))) {
            List<EchoClient> players = connectPlayers(network, PLAYERS);
            network.openingTakes(OPENING_NANOS);
            IntConsumer attack = copies(network, 2);
            int[] sent = new int[1];
            while (network.opened() <= UNVALIDATED / 4) {
                network.step(PER_MS, i -> attack.accept(sent[0]++));
            }
            long startNanos = network.nowNanos();
            int before = network.opened();
            int messages = 0;
            for (int ms = 0; ms < FLOOD_MS; ms++) {
                messages = send(players, ms, messages);
                network.step(PER_MS, i -> attack.accept(sent[0]++));
            }
            assertThat(100.0 * OPENING_NANOS * (network.opened() - before) / (network.nowNanos() - startNanos)).isBetween(15.0, 20.5);
            network.openingTakes(0);
            assertNothingLost(network, players, messages);
        }
    }

    /** The attacker's datagrams are refused by the filter of the application, which is expensive. */
    @Test
    void filterIsNotCalledForEachForgedDatagram() {
        SplittableRandom random = new SplittableRandom(3);
        int[] calls = new int[1];
        try (FloodedEchoServer network = network(builder -> builder.acceptFilter((peer, conv) -> {
            calls[0]++;
            return peer.getAddress().getAddress()[0] == 10;
        }))) {
            assertAllConnect(connectTimes(network, i -> network.attack(source(i % SOURCES), random.nextInt())));
            assertThat(network.dropped(DropReason.FILTERED)).isPositive();
            assertThat(calls[0]).as("calls in %d ms", network.nowMs()).isLessThan((int) network.nowMs() / 5);
        }
    }

    @Test
    void serverThatIsNotUnderLoadAcceptsTheFirstDatagram() {
        try (FloodedEchoServer network = network(builder -> builder.addressProofUnderLoad(false))) {
            for (int i = 0; i <= UNVALIDATED / 4; i++) {
                network.attack(source(i), 7);
            }
            network.step();
            assertThat(network.opened()).isEqualTo(UNVALIDATED / 4 + 1);
            network.attack(source(SOURCES), 7);
            network.step();
            assertThat(network.opened()).as("under load").isEqualTo(UNVALIDATED / 4 + 1);
            assertThat(network.dropped(DropReason.FIRST_ARRIVAL)).isEqualTo(1);
            network.attack(source(SOURCES), 7);
            network.step();
            assertThat(network.opened()).as("second arrival").isEqualTo(UNVALIDATED / 4 + 2);
        }
    }

    /** A client may retransmit its first datagram together with the response to the probe, which then opens the session. */
    @Test
    void responseToTheProbeMayContainTheFirstSegment() {
        InetSocketAddress peer = clientAddress(0);
        try (EmbeddedLink link = EmbeddedLink.create(server -> server.maxUnvalidatedSessions(2), SessionRecorder::new)) {
            link.server().receive(source(0), WireSegment.push(7, 0, 0, "x"));
            link.server().receive(source(1), WireSegment.push(7, 0, 0, "x"));
            link.server().channel().releaseOutbound();
            link.server().receive(peer, WireSegment.push(7, 0, 0, "x"));
            link.server().receive(peer, WireSegment.push(7, 0, 0, "x"));
            List<ByteBuf> probes = link.server().take();
            assertThat(probes).as("probes").hasSize(1);
            WireSegment probe = WireSegment.parse(probes.get(0)).get(0);
            probes.get(0).release();
            assertThat(probe.cmd()).isEqualTo(SegmentHeader.CMD_PUSH);
            WireSegment forged = new WireSegment(7, SegmentHeader.CMD_ACK, 0, 32, probe.ts() + 1, probe.sn(), 0, "");
            link.server().receive(peer, forged, WireSegment.push(7, 0, 0, "x"));
            assertThat(link.accepted()).as("sessions after a forged response").hasSize(2);
            WireSegment response = new WireSegment(7, SegmentHeader.CMD_ACK, 0, 32, probe.ts(), probe.sn(), 0, "");
            link.server().receive(peer, response);
            assertThat(link.accepted()).hasSize(2);
            link.server().receive(peer, response, WireSegment.push(7, 0, 0, "x"));
            assertThat(link.accepted()).hasSize(3);
            assertThat(link.accepted(2).messages()).containsExactly("x");
            link.server().channel().releaseOutbound();
        }
    }

    /** Thousands of clients share the address of a carrier NAT or a load balancer. */
    @Test
    void oneAddressMayOpenManySessionsWithoutLoad() {
        try (FloodedEchoServer network = new FloodedEchoServer(builder -> builder.maxSessions(1 << 17))) {
            for (int i = 0; i < 4_000; i++) {
                network.attack(SimulatedHosts.address(0x64400001, 1_024 + i), 7);
            }
            network.step();
            assertThat(network.opened()).isEqualTo(4_000);
            assertThat(network.stats().droppedTotal()).isZero();
        }
    }

    /** The attacker forges the address that the clients share, for example that of a company or a carrier NAT. */
    @Test
    void forgedDatagramsDoNotLockOutTheirAddress() {
        SplittableRandom random = new SplittableRandom(6);
        try (FloodedEchoServer network = network(builder -> { })) {
            List<Long> times = connectTimes(network, connectPlayers(network, PLAYERS), CLIENTS,
                i -> SimulatedHosts.address(SHARED_ADDRESS, 5_000 + i), i -> network.attack(
                    i % 2 == 0 ? source(i % SOURCES) : SimulatedHosts.address(SHARED_ADDRESS, 10_000 + random.nextInt(50_000)),
                    random.nextInt()));
            assertAllConnect(times);
            assertThat(network.dropped(DropReason.FIRST_ARRIVAL)).isPositive();
        }
    }

    /** With a cipher, a recorded first datagram neither counts as a retransmission nor contributes to the load. */
    @Test
    void replayedDatagramsNeitherTriggerNorRevealTheLoad() {
        CryptoConfig crypto = CryptoConfig.kcptun("aes-128-gcm", "k");
        try (FloodedEchoServer network = new FloodedEchoServer(
            builder -> builder.crypto(crypto).maxSessions(SESSIONS).maxUnvalidatedSessions(400))) {
            List<byte[]> recorded = record(network, crypto, 0, 101);
            assertThat(network.opened()).isEqualTo(101);
            replay(network, recorded, SOURCES);
            replay(network, recorded, 2 * SOURCES);
            assertThat(network.dropped(DropReason.REPLAYED)).as("datagrams replayed from other addresses").isEqualTo(202);
            assertThat(network.opened()).isEqualTo(101);
            assertThat(network.dropped(DropReason.FIRST_ARRIVAL)).isZero();
            List<byte[]> firstArrivals = record(network, crypto, 200, 3);
            assertThat(network.dropped(DropReason.FIRST_ARRIVAL)).as("101 unvalidated sessions exceed a quarter of 400").isEqualTo(3);
            replay(network, firstArrivals, 200);
            replay(network, firstArrivals, 200);
            assertThat(network.opened()).as("opened sessions, because a copy is not a retransmission").isEqualTo(101);
            assertThat(network.dropped(DropReason.FIRST_ARRIVAL)).isEqualTo(3);
            assertThat(network.dropped(DropReason.REPLAYED)).isEqualTo(208);
        }
    }

    /** Sends the first datagrams of clients that then vanish, and returns these datagrams. */
    private static List<byte[]> record(FloodedEchoServer network, CryptoConfig crypto, int firstSource, int clients) {
        List<byte[]> recorded = new ArrayList<>();
        DatagramCipher cipher = crypto.newCipher(new SecureRandom()::nextBytes);
        for (int i = 0; i < clients; i++) {
            ByteBuf datagram = sealed(network, cipher, firstSource + i);
            recorded.add(ByteBufUtil.getBytes(datagram));
            network.attack(source(firstSource + i), datagram);
        }
        return recorded;
    }

    private static ByteBuf sealed(FloodedEchoServer network, DatagramCipher cipher, int conv) {
        ByteBuf payload = WireSegment.datagram(network.allocator(), WireSegment.push(conv, 0, 0, "x"));
        int head = cipher.headBytes();
        ByteBuf datagram = network.allocator().directBuffer(256).setIndex(head, head).writeBytes(payload);
        payload.release();
        cipher.seal(datagram);
        return datagram;
    }

    private static void replay(FloodedEchoServer network, List<byte[]> recorded, int firstSource) {
        for (int i = 0; i < recorded.size(); i++) {
            network.attack(source(firstSource + i), network.allocator().directBuffer().writeBytes(recorded.get(i)));
        }
    }
}

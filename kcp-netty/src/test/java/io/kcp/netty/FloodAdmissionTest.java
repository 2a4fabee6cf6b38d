package io.kcp.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.crypto.CryptoConfig;
import io.kcp.core.crypto.PacketCipher;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Clients connect to a small server while an attacker floods it with first datagrams from forged addresses. */
@Timeout(240)
class FloodAdmissionTest {

    private static final int SESSIONS = 16_384;
    private static final int UNVALIDATED = 4_096;
    private static final int SOURCES = 65_000;
    private static final int PER_MS = 50;
    private static final int FLOOD_MS = 6_000;
    private static final int CLIENTS = 100;
    private static final int PATIENCE_MS = 30_000;

    private static InetSocketAddress source(int number) {
        return FloodedNetwork.address(0xc6120000 + number, 4_000);
    }

    private static InetSocketAddress clientAddress(int number) {
        return FloodedNetwork.address(0x0a000100 + number, 5_000);
    }

    private static FloodedNetwork network(Consumer<KcpHandlerBuilder> settings) {
        return new FloodedNetwork(builder -> settings.accept(
            builder.maxSessions(SESSIONS).maxUnvalidatedSessions(UNVALIDATED)));
    }

    /** Runs a flood while clients connect, and returns the sorted connect times. The list does not contain clients that never connected. */
    private static List<Long> connectTimes(FloodedNetwork network, IntConsumer attack) {
        SplittableRandom random = new SplittableRandom(16);
        List<FloodedNetwork.Client> clients = new ArrayList<>();
        int[] sent = new int[1];
        for (int ms = 0; ms < FLOOD_MS + PATIENCE_MS; ms++) {
            if (ms >= 1_000 && clients.size() < CLIENTS && ms % 30 == 0) {
                clients.add(network.connect(clientAddress(clients.size()), random.nextInt(), null));
            }
            boolean over = clients.size() == CLIENTS && clients.stream().allMatch(FloodedNetwork.Client::isConnected);
            if (over) {
                break;
            }
            network.step(PER_MS, i -> attack.accept(sent[0]++));
        }
        return clients.stream().filter(FloodedNetwork.Client::isConnected).map(FloodedNetwork.Client::connectMs).sorted().toList();
    }

    private static void assertAllConnect(List<Long> times) {
        assertThat(times).hasSize(CLIENTS);
        assertThat(times.get(CLIENTS * 95 / 100)).as("95th percentile of the connect times").isLessThanOrEqualTo(3_000);
    }

    @Test
    void clientsConnectDuringAFloodOfNewConversations() {
        SplittableRandom random = new SplittableRandom(1);
        try (FloodedNetwork network = network(builder -> { })) {
            assertAllConnect(connectTimes(network, i -> network.attack(source(i % SOURCES), random.nextInt())));
            assertThat(network.dropped(DropReason.FIRST_ARRIVAL)).isPositive();
            assertThat(network.stats().closed()).as("no session is evicted").doesNotContainKey(KcpCloseReason.EVICTED);
        }
    }

    /** Each forged datagram is repeated after 1.3 s, which is later than the first retransmission of any client. */
    @Test
    void clientsConnectDuringAFloodThatRepeatsItself() {
        try (FloodedNetwork network = network(builder -> { })) {
            assertAllConnect(connectTimes(network, i -> network.attack(source(i % SOURCES), 7)));
        }
    }

    /** The attacker sends each forged datagram twice, so that only the limit on opened sessions protects new sessions. */
    @Test
    void sessionsSurviveARoundTripIfForgedDatagramsArriveTwice() {
        SplittableRandom random = new SplittableRandom(2);
        int[] conv = new int[1];
        try (FloodedNetwork network = network(builder -> { })) {
            List<Long> times = connectTimes(network, i -> {
                if (i % 2 == 0) {
                    conv[0] = random.nextInt();
                }
                network.attack(source(i / 2 % SOURCES), conv[0]);
            });
            assertThat(times).as("clients that have connected").hasSize(CLIENTS);
            assertThat(network.dropped(DropReason.OPENING_RATE)).isPositive();
            assertThat(network.opened()).as("sessions in %d ms", network.nowMs())
                .isLessThanOrEqualTo((int) (2L * UNVALIDATED * network.nowMs() / 1_000) + UNVALIDATED);
        }
    }

    @Test
    void serverThatIsNotUnderLoadAcceptsTheFirstDatagram() {
        try (FloodedNetwork network = network(builder -> { })) {
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

    /** Thousands of clients share the address of a carrier NAT or a load balancer. */
    @Test
    void oneAddressMayOpenManySessionsWithoutLoad() {
        try (FloodedNetwork network = new FloodedNetwork(builder -> builder.maxSessions(1 << 17))) {
            for (int i = 0; i < 4_000; i++) {
                network.attack(FloodedNetwork.address(0x64400001, 1_024 + i), 7);
            }
            network.step();
            assertThat(network.opened()).isEqualTo(4_000);
            assertThat(network.stats().droppedTotal()).isZero();
        }
    }

    @Test
    void oneAddressIsLimitedUnderLoad() {
        try (FloodedNetwork network = network(builder -> builder.trustedPrefixes("198.51.100.0/24"))) {
            for (int i = 0; i <= UNVALIDATED / 4; i++) {
                network.attack(source(i), 7);
            }
            for (int i = 0; i < 5_000; i++) {
                network.attack(FloodedNetwork.address(0x64400001, 1_024 + i), 7);
                network.attack(FloodedNetwork.address(0xc6336401, 1_024 + i), 7);
            }
            assertThat(network.dropped(DropReason.SOURCE_RATE)).as("the burst is 1,000, and one address is trusted").isEqualTo(4_000);
            for (int ms = 0; ms < 100; ms++) {
                network.step();
            }
            for (int i = 0; i < 100; i++) {
                network.attack(FloodedNetwork.address(0x64400001, 1_024 + i), 7);
            }
            assertThat(network.dropped(DropReason.SOURCE_RATE)).as("dropped because of the limit of 500 per second").isEqualTo(4_050);
        }
    }

    /** With a cipher, a recorded first datagram neither counts as a retransmission nor contributes to the load. */
    @Test
    void replayedDatagramsNeitherTriggerNorRevealTheLoad() {
        CryptoConfig crypto = CryptoConfig.kcptun("aes-128-gcm", "k");
        try (FloodedNetwork network = new FloodedNetwork(
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
    private static List<byte[]> record(FloodedNetwork network, CryptoConfig crypto, int firstSource, int clients) {
        List<byte[]> recorded = new ArrayList<>();
        PacketCipher cipher = crypto.newCipher(new SecureRandom()::nextBytes);
        for (int i = 0; i < clients; i++) {
            ByteBuf payload = WireSegment.datagram(network.allocator(), WireSegment.push(firstSource + i, 0, 0, "x"));
            ByteBuf datagram = network.allocator().directBuffer().setIndex(cipher.headBytes(), cipher.headBytes()).writeBytes(payload);
            payload.release();
            cipher.seal(datagram);
            recorded.add(ByteBufUtil.getBytes(datagram));
            network.attack(source(firstSource + i), datagram);
        }
        return recorded;
    }

    private static void replay(FloodedNetwork network, List<byte[]> recorded, int firstSource) {
        for (int i = 0; i < recorded.size(); i++) {
            network.attack(source(firstSource + i), network.allocator().directBuffer().writeBytes(recorded.get(i)));
        }
    }
}

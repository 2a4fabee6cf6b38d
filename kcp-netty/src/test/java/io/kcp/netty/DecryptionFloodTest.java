package io.kcp.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.crypto.CryptoConfig;
import io.kcp.netty.bootstrap.KcpHandlerBuilder;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * An attacker floods a server with datagrams that cannot be decrypted. The cipher of the server advances the simulated clock by
 * {@value #COST_NANOS} ns for each datagram.
 */
@Timeout(120)
class DecryptionFloodTest {

    private static final long COST_NANOS = 10_000;
    private static final int PER_MS = 90;
    private static final int FLOOD_MS = 3_000;
    private static final int SOURCES = 65_000;
    private static final int CONV = 7;
    private static final int CLIENTS = 20;
    private static final InetSocketAddress VICTIM = SimulatedHosts.address(0x0a000101, 5_000);

    private final long[] decryptions = new long[1];
    private FloodedEchoServer network;

    private FloodedEchoServer network(UnaryOperator<KcpHandlerBuilder> settings) {
        CryptoConfig costly = CostlyCipher.config(() -> {
            decryptions[0]++;
            network.work(COST_NANOS);
        });
        network = new FloodedEchoServer(builder -> {
            KcpHandlerBuilder encrypted = settings.apply(builder.crypto(costly));
            assertThat(encrypted).isSameAs(builder);
        });
        return network;
    }

    private static CryptoConfig clientCipher() {
        return CostlyCipher.config(() -> { });
    }

    private void forge(int source) {
        network.attack(SimulatedHosts.address(0xc6120000 + source, 4_000), CostlyCipher.forged(network.allocator()));
    }

    private double floodPercent(int sources, int messagesOfEachClient, EchoClient... clients) {
        int[] sent = new int[1];
        return floodPercent(PER_MS, i -> forge(sent[0]++ % sources), messagesOfEachClient, clients);
    }

    /** Runs the flood and returns the share of the time, in percent, that the server spent on decrypting forged datagrams. */
    private double floodPercent(int perMs, IntConsumer attack, int messagesOfEachClient, EchoClient... clients) {
        long startNanos = network.nowNanos();
        int legitimate = 0;
        long before = decryptions[0];
        for (int ms = 0; ms < FLOOD_MS; ms++) {
            if (messagesOfEachClient > 0 && ms % (FLOOD_MS / messagesOfEachClient) == 0) {
                for (EchoClient client : clients) {
                    client.send("m");
                }
            }
            network.step(perMs, attack);
        }
        for (EchoClient client : clients) {
            legitimate += (int) client.recorder().session().collectStats().getNow().counters().datagramsOut();
        }
        return 100.0 * COST_NANOS * (decryptions[0] - before - legitimate) / (network.nowNanos() - startNanos);
    }

    @Test
    void decryptionOfUnknownAddressesUsesAtMostAFifthOfTheTime() {
        try (FloodedEchoServer flooded = network(builder -> builder)) {
            EchoClient client = connected(flooded, VICTIM);
            long retransmissions = retransmissions(client);
            assertThat(floodPercent(SOURCES, 100, client)).as("share of the time for decryption in percent").isBetween(15.0, 20.5);
            assertThat(flooded.dropped(DropReason.DECRYPTION_BUDGET)).isGreaterThan(100_000);
            flooded.runForMs(500);
            assertThat(client.recorder().messages()).as("echoes").hasSize(101);
            assertThat(retransmissions(client)).as("nothing is lost").isEqualTo(retransmissions);
        }
    }

    private static long retransmissions(EchoClient client) {
        return client.recorder().session().collectStats().getNow().counters().retransmissions();
    }

    /**
     * The flood would take 90 % of the time. After the first datagram of a forged address could not be decrypted, the clients take
     * precedence over that address.
     */
    @Test
    @Tag("slow")
    void clientsConnectDuringTheFlood() {
        try (FloodedEchoServer flooded = network(builder -> builder)) {
            int[] sent = new int[1];
            List<EchoClient> clients = new ArrayList<>();
            for (int ms = 0; ms < 2 * FLOOD_MS; ms++) {
                flooded.step(PER_MS, i -> forge(sent[0]++ % SOURCES));
            }
            for (int ms = 0; ms < CLIENTS * 50 + 5_000; ms++) {
                if (ms % 50 == 0 && clients.size() < CLIENTS) {
                    clients.add(flooded.connect(SimulatedHosts.address(0x0a000101 + ms, 5_000), CONV, clientCipher()));
                }
                flooded.step(PER_MS, i -> forge(sent[0]++ % SOURCES));
            }
            assertThat(clients).allMatch(EchoClient::isConnected);
            List<Long> times = clients.stream().map(EchoClient::connectMs).sorted().toList();
            assertThat(times.get(CLIENTS * 95 / 100)).as("95th percentile of the connect times").isLessThanOrEqualTo(3_000);
        }
    }

    /** The address exceeds its rate and its datagrams cannot be decrypted, so it takes only the time that other addresses do not need. */
    @Test
    void floodFromOneAddressLeavesTheBudgetToOthers() {
        try (FloodedEchoServer flooded = network(builder -> builder)) {
            assertThat(floodPercent(1, 0)).isLessThan(20.5);
            for (int i = 0; i < CLIENTS; i++) {
                EchoClient client = flooded.connect(SimulatedHosts.address(0x0a000101 + i, 5_000), CONV, clientCipher());
                for (int ms = 0; ms < 250; ms++) {
                    flooded.step(PER_MS, j -> forge(0));
                }
                assertThat(client.isConnected()).as("client %d, without a retransmission", i).isTrue();
            }
        }
    }

    /** The attacker forges all ports of the address of a network that has many clients. */
    @Test
    @Tag("slow")
    void forgedDatagramsDoNotLockOutTheirAddress() {
        try (FloodedEchoServer flooded = network(builder -> builder)) {
            SplittableRandom random = new SplittableRandom(6);
            IntConsumer attack = i -> flooded.attack(SimulatedHosts.address(0x0a000101, 10_000 + random.nextInt(50_000)),
                CostlyCipher.forged(flooded.allocator()));
            for (int ms = 0; ms < FLOOD_MS; ms++) {
                flooded.step(PER_MS, attack);
            }
            List<EchoClient> clients = new ArrayList<>();
            for (int ms = 0; ms < CLIENTS * 50 + 5_000; ms++) {
                if (ms % 50 == 0 && clients.size() < CLIENTS) {
                    clients.add(flooded.connect(SimulatedHosts.address(0x0a000101, 5_000 + ms), CONV, clientCipher()));
                }
                flooded.step(PER_MS, attack);
            }
            assertThat(flooded.dropped(DropReason.DECRYPTION_BUDGET)).isGreaterThan(100_000);
            assertThat(clients).allMatch(EchoClient::isConnected);
        }
    }

    /** The attacker has forged the address of the client before, and then uses up the budget with datagrams from random addresses. */
    @Test
    @Tag("slow")
    void addressThatWasForgedIsNotLockedOut() {
        try (FloodedEchoServer flooded = network(builder -> builder)) {
            for (int i = 0; i < 100; i++) {
                forgeVictim();
            }
            int[] sent = new int[1];
            IntConsumer attack = i -> forge(sent[0]++);
            for (int ms = 0; ms < 1_000; ms++) {
                flooded.step(PER_MS, attack);
            }
            EchoClient client = flooded.connect(VICTIM, CONV, clientCipher());
            for (int ms = 0; ms < 3_000; ms++) {
                flooded.step(PER_MS, attack);
            }
            assertThat(flooded.dropped(DropReason.DECRYPTION_BUDGET)).isGreaterThan(100_000);
            assertThat(client.isConnected()).isTrue();
        }
    }

    /** A UDP proxy on the same host also forwards the datagrams of attackers, so their address is a loopback address. */
    @Test
    void loopbackIsSubjectToTheBudgetButNotToTheRate() {
        try (FloodedEchoServer flooded = network(builder -> builder)) {
            for (int ms = 0; ms < FLOOD_MS; ms++) {
                flooded.step(PER_MS, i -> flooded.attack(SimulatedHosts.address(0x7f000001, 4_000 + i),
                    CostlyCipher.forged(flooded.allocator())));
            }
            assertThat(100.0 * COST_NANOS * decryptions[0] / flooded.nowNanos()).isBetween(15.0, 20.5);
            assertThat(flooded.dropped(DropReason.SOURCE_RATE)).isZero();
        }
    }

    @Test
    void budgetIsRestoredAfterTheFlood() {
        try (FloodedEchoServer flooded = network(builder -> builder)) {
            floodPercent(SOURCES, 0);
            flooded.runForMs(1_100);
            long dropped = flooded.stats().droppedTotal();
            EchoClient client = flooded.connect(SimulatedHosts.address(0x0a000101, 5_000), CONV, clientCipher());
            flooded.runForMs(250);
            assertThat(client.isConnected()).isTrue();
            assertThat(flooded.stats().droppedTotal()).isEqualTo(dropped);
        }
    }

    @Test
    void limitsCanBeDisabled() {
        try (FloodedEchoServer flooded = network(builder -> builder.unknownDecryptionPercent(100))) {
            assertThat(floodPercent(1, 0)).isGreaterThan(80);
            assertThat(flooded.dropped(DropReason.SOURCE_RATE)).isZero();
            assertThat(flooded.dropped(DropReason.DECRYPTION_BUDGET)).isZero();
        }
    }

    /**
     * The attacker knows the address of a client, whose session becomes slower because four of five of its datagrams are lost. The session
     * of another client is not affected.
     */
    @Test
    void floodFromTheAddressOfAClientUsesAtMostAFifthOfTheTime() {
        try (FloodedEchoServer flooded = network(builder -> builder)) {
            EchoClient victim = connected(flooded, VICTIM);
            EchoClient other = connected(flooded, SimulatedHosts.address(0x0a000102, 5_000));
            long retransmissions = retransmissions(other);
            victim.send("during the flood");
            assertThat(floodPercent(PER_MS, i -> forgeVictim(), 100, other)).isBetween(15.0, 20.5);
            assertThat(flooded.dropped(DropReason.DECRYPTION_BUDGET)).isGreaterThan(100_000);
            assertThat(retransmissions(other)).as("nothing is lost").isEqualTo(retransmissions);
            for (int ms = 0; victim.recorder().messages().size() < 2 && ms < 20_000; ms++) {
                flooded.step(PER_MS, i -> forgeVictim());
            }
            assertThat(victim.recorder().messages()).containsExactly("hello", "during the flood");
            assertThat(victim.recorder().session().isOpen()).isTrue();
        }
    }

    /** A flood that does not use up the budget has no effect, even if the attacker knows the addresses of all clients. */
    @Test
    void smallFloodFromKnownAddressesIsHarmless() {
        try (FloodedEchoServer flooded = network(builder -> builder)) {
            EchoClient victim = connected(flooded, VICTIM);
            long retransmissions = retransmissions(victim);
            floodPercent(PER_MS / 6, i -> forgeVictim(), 100, victim);
            assertThat(victim.recorder().messages()).hasSizeGreaterThan(90);
            assertThat(retransmissions(victim)).isEqualTo(retransmissions);
            assertThat(flooded.stats().droppedTotal()).isEqualTo(flooded.dropped(DropReason.DECRYPTION_FAILED));
        }
    }

    @Test
    void sessionRecoversAfterAFloodFromItsAddress() {
        try (FloodedEchoServer flooded = network(builder -> builder)) {
            EchoClient victim = connected(flooded, VICTIM);
            floodPercent(PER_MS, i -> forgeVictim(), 0);
            flooded.runForMs(1_100);
            long dropped = flooded.stats().droppedTotal();
            long retransmissions = retransmissions(victim);
            victim.send("after the flood");
            flooded.runForMs(250);
            assertThat(victim.recorder().messages()).containsExactly("hello", "after the flood");
            assertThat(flooded.stats().droppedTotal()).isEqualTo(dropped);
            assertThat(retransmissions(victim)).isEqualTo(retransmissions);
        }
    }

    private static EchoClient connected(FloodedEchoServer flooded, InetSocketAddress address) {
        EchoClient client = flooded.connect(address, CONV, clientCipher());
        for (int ms = 0; !client.isConnected() && ms < 2_000; ms++) {
            flooded.step();
        }
        assertThat(client.isConnected()).isTrue();
        // Waits for the acknowledgements of the first messages.
        flooded.runForMs(3 * FloodedEchoServer.ROUND_TRIP_MS);
        return client;
    }

    private void forgeVictim() {
        network.attack(VICTIM, CostlyCipher.forged(network.allocator()));
    }

    @Test
    void logsOneLinePerMinuteAndReason() {
        try (RecordedLog log = new RecordedLog("io.kcp"); FloodedEchoServer flooded = network(builder -> builder)) {
            floodPercent(SOURCES, 0);
            assertThat(log.messages()).filteredOn(line -> line.contains("DECRYPTION_BUDGET")).singleElement().asString()
                .contains("198.18.", "unknownDecryptionPercent");
            assertThat(log.messages()).as("one line for each reason").hasSize(2);
            for (int second = 0; second < TimeUnit.MINUTES.toSeconds(1); second++) {
                flooded.work(TimeUnit.SECONDS.toNanos(1));
            }
            for (int i = 0; i < 10_000; i++) {
                forge(i);
            }
            assertThat(log.messages()).hasSize(4);
        }
    }
}

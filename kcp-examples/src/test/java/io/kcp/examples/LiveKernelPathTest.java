package io.kcp.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.abort;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.kcp.netty.KcpTransport;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Exchanges data between processes in different network namespaces, over a router of the Linux kernel that loses, limits, fragments,
 * drops or translates datagrams. Each test is skipped with the reason if the kernel lacks what it needs.
 * {@code -Dkernel.path.bytes=100000000} changes the number of bytes in each direction, and {@code -Dkernel.path.rebind.seconds=5} the
 * interval at which the client gets another port.
 */
@Tag("interop")
@EnabledOnOs(value = OS.LINUX, disabledReason = "network namespaces require Linux")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LiveKernelPathTest {

    private static final long BYTES = Long.getLong("kernel.path.bytes", 10_000_000);
    private static final String PORT = "9000";
    private static final long TIMEOUT_SECONDS = 200;
    private static final int LOSS_PERCENT = 5;
    private static final List<String> AEAD = List.of("--crypt", "aes-128-gcm", "--key", "kernel path");
    private static final List<String> AEAD_AND_FEC = List.of("--crypt", "aes-128-gcm", "--key", "kernel path", "--fec", "10:3");
    private static final String KCP_GO = "kcppeer-5.6.72";

    private static final int NAT_MBIT = 5;
    private static final long REBIND_SECONDS = Long.getLong("kernel.path.rebind.seconds", 2);
    private static final int REBINDS = 3;
    /** The transfer lasts one interval longer than the last change of the port. */
    private static final long NAT_BYTES = NAT_MBIT * 125_000L * REBIND_SECONDS * (REBINDS + 1);
    /** Limit of the interruption of a download by a change of the port: 100 ms and two round trips, and the delays of a busy machine. */
    private static final long MAX_GAP_MS = 1_000;

    private static final int BLACK_HOLE_PACKET_BYTES = 1_300;
    private static final int FALLBACK_MTU_BYTES = 1_200;
    private static final int FALLBACK_BYTES = 2_000_000;

    private static final int SEARCHED_PACKET_BYTES = 1_400;
    private static final int IPV4_AND_UDP_HEADER_BYTES = 28;
    /** The search takes about ten seconds. */
    private static final int SEARCH_BYTES = 40_000_000;

    /** The {@code session} events of both sides of an exchange. */
    private record Exchange(String client, String server) {

        /** Checks that each side received what the other side sent. */
        Exchange isIntact() {
            assertThat(PeerProcess.field(server, "received_sha256")).isEqualTo(PeerProcess.field(client, "sent_sha256"));
            assertThat(PeerProcess.field(client, "received_sha256")).isEqualTo(PeerProcess.field(server, "sent_sha256"));
            return this;
        }
    }

    /** Changes a network, and fails if the kernel lacks a feature. */
    @FunctionalInterface
    private interface Change {
        void apply(KernelNetwork network) throws IOException, InterruptedException;
    }

    @BeforeAll
    static void skipWithoutNamespaces() throws InterruptedException {
        String obstacle = KernelNetwork.obstacle();
        if (obstacle != null) {
            skip(obstacle);
        }
    }

    /** Skips the test, and prints the reason, because Maven does not show the reason of a skipped test on the console. */
    private static void skip(String reason) {
        System.out.println("  LiveKernelPathTest skips: " + reason);
        abort(reason);
    }

    @ParameterizedTest
    @EnumSource(value = KcpTransport.class, names = {"NIO", "EPOLL", "IO_URING"})
    void lossyNetworkDeliversEverything(KcpTransport transport) throws Exception {
        assumeTrue(transport.isAvailable(), transport + " is not available here");
        try (KernelNetwork network = network(false, lossy -> lossy.lose(LOSS_PERCENT))) {
            Exchange exchange = exchange(network, KernelNetwork.SERVER_IPV4, BYTES, options(AEAD, "--transport", transport.name()));
            assertThat(number(exchange.isIntact().client, "retransmitted")).isPositive();
        }
    }

    @Test
    void runsOfDatagramsSurviveLoss() throws Exception {
        try (KernelNetwork network = network(true, lossy -> lossy.lose(LOSS_PERCENT))) {
            exchange(network, KernelNetwork.SERVER_IPV4, BYTES, AEAD).isIntact();
        }
    }

    @Test
    void lossyIpv6NetworkDeliversEverything() throws Exception {
        try (KernelNetwork network = network(false, lossy -> lossy.lose(LOSS_PERCENT))) {
            exchange(network, KernelNetwork.SERVER_IPV6, BYTES, AEAD_AND_FEC).isIntact();
        }
    }

    /** The router fragments the datagrams of the client, and the kernel of the server fragments those of the server. */
    @ParameterizedTest
    @EnumSource(value = KcpTransport.class, names = {"NIO", "EPOLL"})
    void datagramsLargerThanTheNetworkMtuArrive(KcpTransport transport) throws Exception {
        assumeTrue(transport.isAvailable(), transport + " is not available here");
        try (KernelNetwork network = network(false, small -> small.mtuOfServer(1_200))) {
            exchange(network, KernelNetwork.SERVER_IPV4, BYTES, options(AEAD, "--transport", transport.name())).isIntact();
        }
    }

    @Test
    void datagramsLargerThanTheIpv6MtuArrive() throws Exception {
        try (KernelNetwork network = network(false, small -> small.mtuOfServer(1_280))) {
            exchange(network, KernelNetwork.SERVER_IPV6, BYTES, AEAD).isIntact();
        }
    }

    @Test
    void jumboFramesArrive() throws Exception {
        try (KernelNetwork network = network(true, jumbo -> jumbo.mtu(9_000))) {
            exchange(network, KernelNetwork.SERVER_IPV4, BYTES, options(AEAD, "--mtu", "1500")).isIntact();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {5, 20, 100})
    void limitedRateDeliversEverything(int mbit) throws Exception {
        try (KernelNetwork network = network(false, limited -> limited.limitRate(mbit, 100))) {
            exchange(network, KernelNetwork.SERVER_IPV4, Math.min(BYTES, 400_000L * mbit), options(AEAD, "--congestion-control", "CUBIC"))
                .isIntact();
        }
    }

    /** The native transports let routers fragment datagrams, so the missing ICMP messages do no harm. */
    @Test
    void routerThatDoesNotReportItsMtuFragmentsDatagrams() throws Exception {
        assumeTrue(KcpTransport.EPOLL.isAvailable(), "EPOLL is not available here");
        try (KernelNetwork network = network(false, silent -> silent.mtuOfServer(1_200).dropIcmp())) {
            exchange(network, KernelNetwork.SERVER_IPV4, BYTES, options(AEAD, "--transport", "EPOLL")).isIntact();
        }
    }

    /**
     * Segments that were sent before the MTU was reduced cannot be split. If the network drops all fragments as well, the session closes,
     * and a new session with the reported MTU transfers the data.
     */
    @Test
    void mtuOfANetworkThatDropsLargePacketsIsReported() throws Exception {
        try (KernelNetwork network = network(false, limited -> limited.limitRate(20, 100))) {
            try (PeerProcess server = server(network, KernelNetwork.SERVER_IPV4, 1, BYTES, AEAD);
                PeerProcess client = client(network, KernelNetwork.SERVER_IPV4, BYTES, 1,
                    options(AEAD, "--congestion-control", "CUBIC", "--dead-peer-ms", "8000", "--backoff-ms", "300"))) {
                server.await("receiving", TIMEOUT_SECONDS);
                network.dropLongerThan(BLACK_HOLE_PACKET_BYTES);
                assertThatThrownBy(() -> client.await("session", TIMEOUT_SECONDS)).isInstanceOf(AssertionError.class)
                    .hasMessageContaining("\"mtu\":" + FALLBACK_MTU_BYTES);
            }
            exchange(network, KernelNetwork.SERVER_IPV4, FALLBACK_BYTES, options(AEAD, "--mtu", Integer.toString(FALLBACK_MTU_BYTES),
                "--congestion-control", "CUBIC")).isIntact();
        }
    }

    /** The router refuses the large probes of the client with ICMP messages, and the kernel of the server refuses its own large probes. */
    @ParameterizedTest
    @EnumSource(value = KcpTransport.class, names = {"NIO", "EPOLL"})
    void searchFindsTheMtuOfTheNetwork(KcpTransport transport) throws Exception {
        assumeTrue(transport != KcpTransport.NIO || Runtime.version().feature() >= 19, "NIO requires Java 19 to forbid fragmentation");
        assumeTrue(transport.isAvailable(), transport + " is not available here");
        try (KernelNetwork network = network(false, small -> small.mtuOfServer(SEARCHED_PACKET_BYTES).limitRate(20, 100))) {
            Exchange exchange = exchange(network, KernelNetwork.SERVER_IPV4, SEARCH_BYTES, options(AEAD, "--transport", transport.name(),
                "--mtu", Integer.toString(FALLBACK_MTU_BYTES), "--mtu-search", "1500", "--congestion-control", "CUBIC")).isIntact();
            assertThat(number(exchange.client, "mtu")).isEqualTo(SEARCHED_PACKET_BYTES - IPV4_AND_UDP_HEADER_BYTES);
            assertThat(number(exchange.server, "mtu")).isEqualTo(SEARCHED_PACKET_BYTES - IPV4_AND_UDP_HEADER_BYTES);
        }
    }

    @Test
    void downloadSurvivesAddressChanges() throws Exception {
        Exchange exchange = rebinding(1, NAT_BYTES);
        assertThat(number(exchange.client, "longest_gap_ms")).isLessThan(MAX_GAP_MS);
    }

    @Test
    void twoWayTrafficSurvivesAddressChanges() throws Exception {
        Exchange exchange = rebinding(NAT_BYTES, NAT_BYTES);
        assertThat(number(exchange.client, "longest_gap_ms")).isLessThan(MAX_GAP_MS);
        assertThat(number(exchange.server, "longest_gap_ms")).isLessThan(MAX_GAP_MS);
    }

    /** Transfers data while the client gets another port every {@link #REBIND_SECONDS}. The server has four sockets. */
    private static Exchange rebinding(long clientBytes, long serverBytes) throws Exception {
        List<String> roaming = options(AEAD, "--roaming", "--congestion-control", "CUBIC");
        try (KernelNetwork network = network(false, nat -> nat.limitRate(NAT_MBIT, 100).masquerade());
            PeerProcess server = server(network, KernelNetwork.SERVER_IPV4, serverBytes, clientBytes, options(roaming, "--sockets", "4"));
            PeerProcess client = client(network, KernelNetwork.SERVER_IPV4, clientBytes, serverBytes, roaming)) {
            client.await("receiving", TIMEOUT_SECONDS);
            for (int i = 0; i < REBINDS; i++) {
                TimeUnit.SECONDS.sleep(REBIND_SECONDS);
                network.rebind();
            }
            Exchange exchange = results(client, server).isIntact();
            assertThat(number(exchange.server, "moves")).isEqualTo(REBINDS);
            return exchange;
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {KernelNetwork.SERVER_IPV4, KernelNetwork.SERVER_IPV6})
    void kcpGoServerReceivesOverALossyNetwork(String address) throws Exception {
        assumeTrue(PeerProcess.isInstalled(KCP_GO), KCP_GO + " is missing; src/interop/install.sh builds it");
        try (KernelNetwork network = network(false, lossy -> lossy.lose(LOSS_PERCENT));
            PeerProcess server = PeerProcess.start(network.onServer(), KCP_GO, "server", kcpGoOptions("--listen", address))) {
            server.await("ready", TIMEOUT_SECONDS);
            try (PeerProcess client = client(network, address, BYTES, BYTES, AEAD_AND_FEC)) {
                results(client, server).isIntact();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {KernelNetwork.SERVER_IPV4, KernelNetwork.SERVER_IPV6})
    void kcpGoClientReceivesOverALossyNetwork(String address) throws Exception {
        assumeTrue(PeerProcess.isInstalled(KCP_GO), KCP_GO + " is missing; src/interop/install.sh builds it");
        try (KernelNetwork network = network(false, lossy -> lossy.lose(LOSS_PERCENT));
            PeerProcess server = server(network, address, BYTES, BYTES, AEAD_AND_FEC);
            PeerProcess client = PeerProcess.start(network.onClient(), KCP_GO, "client", kcpGoOptions("--connect", address))) {
            results(client, server).isIntact();
        }
    }

    private static List<String> kcpGoOptions(String addressOption, String address) {
        return List.of(addressOption, (address.contains(":") ? '[' + address + ']' : address) + ':' + PORT, "--action", "exchange",
            "--bytes", Long.toString(BYTES), "--timeout", Long.toString(TIMEOUT_SECONDS), "--linger-ms", "1000", "--crypt", "aes-128-gcm",
            "--key", "kernel path", "--datashard", "10", "--parityshard", "3");
    }

    /** Creates a network. Skips the test if the kernel lacks what the change needs. */
    private static KernelNetwork network(boolean offload, Change change) throws IOException, InterruptedException {
        KernelNetwork network = new KernelNetwork(offload);
        String obstacle = obstacle(network, change);
        if (obstacle != null) {
            network.close();
            skip(obstacle);
        }
        return network;
    }

    private static @Nullable String obstacle(KernelNetwork network, Change change) throws InterruptedException {
        try {
            change.apply(network);
            return null;
        } catch (IOException unsupported) {
            assertThat(unsupported).hasMessageNotContaining("syntax error");
            return "this kernel refuses " + unsupported.getMessage();
        }
    }

    /** Sends the same number of bytes in both directions at the same time. */
    private static Exchange exchange(KernelNetwork network, String address, long bytes, List<String> options) throws Exception {
        try (PeerProcess server = server(network, address, bytes, bytes, options);
            PeerProcess client = client(network, address, bytes, bytes, options)) {
            return results(client, server);
        }
    }

    private static Exchange results(PeerProcess client, PeerProcess server) throws InterruptedException {
        Exchange exchange = new Exchange(client.await("session", TIMEOUT_SECONDS), server.await("session", TIMEOUT_SECONDS));
        System.out.println("  client " + exchange.client + "\n  server " + exchange.server);
        return exchange;
    }

    private static PeerProcess server(KernelNetwork network, String address, long send, long receive, List<String> options)
        throws IOException, InterruptedException {
        PeerProcess server = PeerProcess.startJava(network.onServer(), KernelPathPeer.class, options(options, "--listen", address, "--port",
            PORT, "--send", Long.toString(send), "--receive", Long.toString(receive)));
        server.await("ready", TIMEOUT_SECONDS);
        return server;
    }

    private static PeerProcess client(KernelNetwork network, String address, long send, long receive, List<String> options)
        throws IOException {
        return PeerProcess.startJava(network.onClient(), KernelPathPeer.class, options(options, "--connect", address, "--port", PORT,
            "--send", Long.toString(send), "--receive", Long.toString(receive)));
    }

    private static List<String> options(List<String> first, String... more) {
        List<String> options = new ArrayList<>(first);
        options.addAll(List.of(more));
        return options;
    }

    private static long number(String event, String field) {
        return Long.parseLong(PeerProcess.field(event, field));
    }
}

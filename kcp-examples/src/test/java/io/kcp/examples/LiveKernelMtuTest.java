package io.kcp.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.kcp.netty.bootstrap.KcpTransport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Exchanges data over a router of the Linux kernel that fragments or drops large packets. */
class LiveKernelMtuTest extends KernelPathTests {

    private static final int BLACK_HOLE_PACKET_BYTES = 1_300;
    private static final int FALLBACK_MTU_BYTES = 1_200;
    private static final int FALLBACK_BYTES = 2_000_000;

    private static final int SEARCHED_PACKET_BYTES = 1_400;
    private static final int IPV4_AND_UDP_HEADER_BYTES = 28;
    /** The search takes about ten seconds. */
    private static final int SEARCH_BYTES = 40_000_000;

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
                    options(AEAD, "--congestion-control", "CUBIC", "--dead-peer-ms", "30000", "--backoff-ms", "300"))) {
                server.await("receiving", TIMEOUT_SECONDS);
                network.dropLongerThan(BLACK_HOLE_PACKET_BYTES);
                // The reduction takes about four seconds. In rare cases it took more than eight, because a loss counts only if a small
                // datagram happens to follow the large one soon.
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
            assertThat(number(exchange.client(), "mtu")).isEqualTo(SEARCHED_PACKET_BYTES - IPV4_AND_UDP_HEADER_BYTES);
            assertThat(number(exchange.server(), "mtu")).isEqualTo(SEARCHED_PACKET_BYTES - IPV4_AND_UDP_HEADER_BYTES);
        }
    }
}

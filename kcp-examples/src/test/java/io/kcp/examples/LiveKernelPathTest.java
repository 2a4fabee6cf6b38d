package io.kcp.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.kcp.netty.bootstrap.KcpTransport;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Exchanges data over a router of the Linux kernel that loses, limits or translates datagrams.
 * {@code -Dkernel.path.bytes=100000000} changes the number of bytes in each direction, and {@code -Dkernel.path.rebind.seconds=5} the
 * interval at which the client gets another port.
 */
class LiveKernelPathTest extends KernelPathTests {

    private static final int LOSS_PERCENT = 5;
    private static final List<String> AEAD_AND_FEC = options(AEAD, "--fec", "10:3");
    private static final String KCP_GO = "kcppeer-5.6.72";

    private static final int NAT_MBIT = 5;
    private static final long REBIND_SECONDS = Long.getLong("kernel.path.rebind.seconds", 2);
    private static final int REBINDS = 3;
    /** The transfer lasts one interval longer than the last change of the port. */
    private static final long NAT_BYTES = NAT_MBIT * 125_000L * REBIND_SECONDS * (REBINDS + 1);
    /** Limit of the interruption of a download by a change of the port: 100 ms and two round trips, and the delays of a busy machine. */
    private static final long MAX_GAP_MS = 1_000;

    @ParameterizedTest
    @EnumSource(value = KcpTransport.class, names = {"NIO", "EPOLL", "IO_URING"})
    void lossyNetworkDeliversEverything(KcpTransport transport) throws Exception {
        assumeTrue(transport.isAvailable(), transport + " is not available here");
        try (KernelNetwork network = network(false, lossy -> lossy.lose(LOSS_PERCENT))) {
            Exchange exchange = exchange(network, KernelNetwork.SERVER_IPV4, BYTES, options(AEAD, "--transport", transport.name()));
            assertThat(number(exchange.isIntact().client(), "retransmitted")).isPositive();
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

    @ParameterizedTest
    @ValueSource(ints = {5, 20, 100})
    void limitedRateDeliversEverything(int mbit) throws Exception {
        try (KernelNetwork network = network(false, limited -> limited.limitRate(mbit, 100))) {
            exchange(network, KernelNetwork.SERVER_IPV4, Math.min(BYTES, 400_000L * mbit), options(AEAD, "--congestion-control", "CUBIC"))
                .isIntact();
        }
    }

    @Test
    void downloadSurvivesAddressChanges() throws Exception {
        Exchange exchange = rebinding(1, NAT_BYTES);
        assertThat(number(exchange.client(), "longest_gap_ms")).isLessThan(MAX_GAP_MS);
    }

    @Test
    void twoWayTrafficSurvivesAddressChanges() throws Exception {
        Exchange exchange = rebinding(NAT_BYTES, NAT_BYTES);
        assertThat(number(exchange.client(), "longest_gap_ms")).isLessThan(MAX_GAP_MS);
        assertThat(number(exchange.server(), "longest_gap_ms")).isLessThan(MAX_GAP_MS);
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
            assertThat(number(exchange.server(), "moves")).isEqualTo(REBINDS);
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
}

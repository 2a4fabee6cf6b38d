package io.kcp.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.KcpConfig;
import io.kcp.core.KcpStats;
import io.kcp.core.KcpTransferMode;
import io.kcp.core.fec.FecShape;
import io.kcp.netty.bootstrap.KcpTransport;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Searches for a larger MTU during a transfer to kcp-go and to the C implementation, over the loopback interface. */
@Tag("interop")
@Timeout(value = 150, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LiveMtuSearchTest {

    private static final long BYTES = 20_000_000;
    private static final KcpConfig CONFIG = KcpConfig.fast3().toBuilder().windows(1_024).mtuBytes(1_200)
        .mtuSearchLimitBytes(KcpConfig.MAX_MTU_BYTES).build();

    @RegisterExtension
    static final EventLoops LOOPS = new EventLoops(2);

    @BeforeAll
    static void skipWithoutEpoll() {
        Assumptions.assumeTrue(KcpTransport.best() == KcpTransport.EPOLL, "this transport may be unable to forbid fragmentation");
    }

    @ParameterizedTest
    @CsvSource({"kcppeer-5.6.72, true", "kcppeer-5.6.72, false", "kcppeer-5.6.1, true", "kcppeer-5.6.1, false", "c, true", "c, false"})
    void peerAcceptsProbesDuringATransfer(String peer, boolean peerIsServer) throws Exception {
        check(peer, peerIsServer, new LiveExchange(LOOPS.group(), peer, peerIsServer, KcpTransferMode.STREAM, BYTES).run(CONFIG));
    }

    @ParameterizedTest
    @CsvSource({"kcppeer-5.6.72, true", "kcppeer-5.6.1, false"})
    void probesAreSentWithoutFecButEncrypted(String peer, boolean peerIsServer) throws Exception {
        FecShape shape = new FecShape(10, 3);
        LiveExchange exchange = new LiveExchange(LOOPS.group(), peer, peerIsServer, KcpTransferMode.STREAM, BYTES).fec(shape, shape)
            .cipher("aes");
        LiveExchange.Outcome outcome = exchange.run(CONFIG);
        check(peer, peerIsServer, outcome);
        assertThat(PeerProcess.field(outcome.theirs(), "FECErrs")).isEqualTo("0");
        assertThat(PeerProcess.field(outcome.theirs(), "KCPInErrors")).isEqualTo("0");
    }

    private static void check(String peer, boolean peerIsServer, LiveExchange.Outcome outcome) {
        KcpStats ours = outcome.ours().counters();
        System.out.printf("  %s, peer is server %s: probes %d, increases %d, reductions %d, retransmissions %d%n", peer, peerIsServer,
            ours.mtuProbes(), ours.mtuIncreases(), ours.mtuReductions(), ours.retransmissions());
        assertThat(ours.mtuProbes()).isPositive();
        assertThat(ours.mtuReductions()).isZero();
        if (!peer.equals("kcppeer-5.6.1")) {
            assertThat(ours.mtuIncreases()).isPositive();
        }
    }
}

package io.kcp.examples;

import io.kcp.core.KcpConfig;
import io.kcp.core.KcpTransferMode;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Exchanges bulk data between {@link KcpConfig#auto()} and peers with constant windows: kcp-go and the C implementation. */
@Tag("interop")
@Timeout(value = 150, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LiveAutoTest {

    private static final long BYTES = 1_000_000;
    private static final LinkConditions LOSSY = new LinkConditions(5, 10, 0, 0, 0);

    @RegisterExtension
    static final EventLoops LOOPS = new EventLoops(2);

    @ParameterizedTest
    @CsvSource({"kcppeer-5.6.72, true, 32", "kcppeer-5.6.72, false, 32", "kcppeer-5.6.72, true, 1024", "kcppeer-5.6.72, false, 1024",
        "kcppeer-5.6.1, true, 32", "kcppeer-5.6.1, false, 1024", "c, true, 128", "c, false, 128"})
    void bothSidesReceiveIntactData(String peer, boolean peerIsServer, int peerWindow) throws Exception {
        LiveExchange.Outcome outcome = new LiveExchange(LOOPS.group(), peer, peerIsServer, KcpTransferMode.STREAM, BYTES).over(LOSSY)
            .peerWindow(peerWindow).run(KcpConfig.auto());
        System.out.printf("  %s, peer is server %s, window %d: round trip %d ms, retransmissions %d of %d datagrams%n", peer, peerIsServer,
            peerWindow, outcome.ours().smoothedRttMs(), outcome.ours().counters().retransmissions(),
            outcome.ours().counters().datagramsOut());
    }
}

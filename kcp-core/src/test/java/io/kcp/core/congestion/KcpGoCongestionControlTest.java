package io.kcp.core.congestion;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class KcpGoCongestionControlTest {

    private static final int MSS = 1376;

    private final KcpGoCongestionControl congestion = new KcpGoCongestionControl();
    private final AckReport acks = new AckReport();
    private final LossReport losses = new LossReport();
    private final FlushReport flushed = new FlushReport();

    @Test
    void firstFlushOpensTheWindow() {
        assertThat(congestion.spanLimit()).isZero();
        flush();
        assertThat(congestion.spanLimit()).isEqualTo(1);
        assertThat(congestion.windowBytes()).isEqualTo(MSS);
        assertThat(congestion.threshold()).isEqualTo(2);
    }

    @Test
    void growsLikeKcpGoWithEachAcknowledgement() {
        int[][] rows = {
            {2, 2752}, {2, 3526}, {4, 4148}, {4, 4690}, {4, 5179}, {4, 5630}, {4, 6052}, {4, 6450}, {4, 6829}, {6, 7192},
            {6, 7541}, {6, 7878}, {6, 8204}, {6, 8520}, {6, 8828}, {6, 9128}, {6, 9421}, {8, 9707}};
        flush();
        for (int i = 0; i < rows.length; i++) {
            acknowledge(128);
            assertThat(new int[] {congestion.spanLimit(), congestion.windowBytes()}).as("acknowledgement %d", i)
                .isEqualTo(rows[i]);
        }
    }

    @Test
    void windowNeverExceedsThePeersWindow() {
        flush();
        for (int i = 0; i < 1_000; i++) {
            acknowledge(9);
        }
        assertThat(congestion.spanLimit()).isEqualTo(9);
        assertThat(congestion.windowBytes()).isEqualTo(9 * MSS);
    }

    @Test
    void ackWithoutNewUnaDoesNotGrowTheWindow() {
        flush();
        acks.unaAdvanced = false;
        acks.remoteWindow = 128;
        acks.mssBytes = MSS;
        congestion.onAcknowledged(acks);
        assertThat(congestion.spanLimit()).isEqualTo(1);
    }

    @Test
    void fastRetransmissionHalvesSpanAndAddsFastResend() {
        losses.skipped = 1;
        losses.span = 20;
        losses.fastResend = 3;
        flush();
        assertThat(congestion.threshold()).isEqualTo(10);
        assertThat(congestion.spanLimit()).isEqualTo(13);
        assertThat(congestion.windowBytes()).isEqualTo(13 * MSS);
    }

    @Test
    void fastResendZeroAddsMinusOne() {
        losses.skipped = 1;
        losses.span = 5;
        losses.fastResend = 0;
        flush();
        assertThat(congestion.threshold()).isEqualTo(2);
        assertThat(congestion.spanLimit()).isEqualTo(1);
    }

    @Test
    void timeoutReducesTheWindowToOneSegment() {
        losses.skipped = 1;
        losses.timedOut = 1;
        losses.span = 20;
        losses.effectiveWindow = 16;
        losses.fastResend = 2;
        flush();
        assertThat(congestion.threshold()).isEqualTo(8);
        assertThat(congestion.spanLimit()).isEqualTo(1);
        assertThat(congestion.windowBytes()).isEqualTo(MSS);
    }

    private void flush() {
        if (losses.lost() > 0) {
            losses.mssBytes = MSS;
            congestion.onLost(losses);
        }
        flushed.mssBytes = MSS;
        congestion.onFlushed(flushed);
    }

    private void acknowledge(int remoteWindow) {
        acks.unaAdvanced = true;
        acks.remoteWindow = remoteWindow;
        acks.mssBytes = MSS;
        congestion.onAcknowledged(acks);
    }
}

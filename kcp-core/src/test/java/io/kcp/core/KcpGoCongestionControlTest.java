package io.kcp.core;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class KcpGoCongestionControlTest {

    private static final int MSS = 1376;

    private final KcpGoCongestionControl congestion = new KcpGoCongestionControl();
    private final FlightReport report = new FlightReport();

    @Test
    void startsClosedAndOpensWithTheFirstFlush() {
        assertThat(congestion.spanLimit()).isZero();
        flush();
        assertThat(congestion.spanLimit()).isEqualTo(1);
        assertThat(congestion.windowBytes()).isEqualTo(MSS);
        assertThat(congestion.threshold()).isEqualTo(2);
    }

    @Test
    void growsAsKcpGoDoesWithEachAcknowledgement() {
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
    void neverExceedsThePeersWindow() {
        flush();
        for (int i = 0; i < 1_000; i++) {
            acknowledge(9);
        }
        assertThat(congestion.spanLimit()).isEqualTo(9);
        assertThat(congestion.windowBytes()).isEqualTo(9 * MSS);
    }

    @Test
    void anAcknowledgementThatMovesNothingGrowsNothing() {
        flush();
        report.unaAdvanced = false;
        report.remoteWindow = 128;
        report.mssBytes = MSS;
        congestion.onAcknowledged(report);
        assertThat(congestion.spanLimit()).isEqualTo(1);
    }

    @Test
    void fastResendHalvesTheSpanAndAddsTheSkips() {
        report.skipped = 1;
        report.span = 20;
        report.fastResend = 3;
        flush();
        assertThat(congestion.threshold()).isEqualTo(10);
        assertThat(congestion.spanLimit()).isEqualTo(13);
        assertThat(congestion.windowBytes()).isEqualTo(13 * MSS);
    }

    @Test
    void fastResendWithoutASkipCountAddsMinusOne() {
        report.skipped = 1;
        report.span = 5;
        report.fastResend = 0;
        flush();
        assertThat(congestion.threshold()).isEqualTo(2);
        assertThat(congestion.spanLimit()).isEqualTo(1);
    }

    @Test
    void timeoutFallsBackToOneSegmentWhateverWasSkippedBeside() {
        report.skipped = 1;
        report.timedOut = 1;
        report.span = 20;
        report.effectiveWindow = 16;
        report.fastResend = 2;
        flush();
        assertThat(congestion.threshold()).isEqualTo(8);
        assertThat(congestion.spanLimit()).isEqualTo(1);
        assertThat(congestion.windowBytes()).isEqualTo(MSS);
    }

    private void flush() {
        report.mssBytes = MSS;
        congestion.onFlushed(report);
    }

    private void acknowledge(int remoteWindow) {
        report.unaAdvanced = true;
        report.remoteWindow = remoteWindow;
        report.mssBytes = MSS;
        congestion.onAcknowledged(report);
    }
}

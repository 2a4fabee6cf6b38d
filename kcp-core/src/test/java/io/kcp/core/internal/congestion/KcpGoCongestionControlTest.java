package io.kcp.core.internal.congestion;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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
            acknowledge(128, true);
            assertThat(new int[] {congestion.spanLimit(), congestion.windowBytes()}).as("acknowledgement %d", i)
                .isEqualTo(rows[i]);
        }
    }

    @Test
    void windowNeverExceedsThePeersWindow() {
        flush();
        for (int i = 0; i < 1_000; i++) {
            acknowledge(9, true);
        }
        assertThat(congestion.spanLimit()).isEqualTo(9);
        assertThat(congestion.windowBytes()).isEqualTo(9 * MSS);
    }

    @Test
    void ackWithoutNewUnaDoesNotGrowTheWindow() {
        flush();
        acknowledge(128, false);
        assertThat(congestion.spanLimit()).isEqualTo(1);
    }

    @Test
    void delayedAckOfSeveralSegmentsGrowsTheWindowOncePerSegment() {
        flush();
        KcpGoCongestionControl undelayed = new KcpGoCongestionControl();
        undelayed.onFlushed(flushed);
        for (int i = 0; i < 10; i++) {
            acks.acknowledged = 1;
            acks.peerDelaysAcks = false;
            acks.unaAdvanced = true;
            acks.remoteWindow = 128;
            acks.mssBytes = MSS;
            for (int segment = 0; segment < 8; segment++) {
                undelayed.onAcknowledged(acks);
            }
            acks.acknowledged = i == 9 ? 1_000 : 8;
            acks.peerDelaysAcks = true;
            acknowledge(128, true);
            assertThat(congestion.windowBytes()).isEqualTo(undelayed.windowBytes());
            assertThat(congestion.spanLimit()).isEqualTo(undelayed.spanLimit());
        }
    }

    @Test
    void ackOfSeveralSegmentsFromOtherImplementationsGrowsTheWindowOnce() {
        flush();
        acks.acknowledged = 8;
        acknowledge(128, true);
        assertThat(congestion.spanLimit()).isEqualTo(2);
    }

    @ParameterizedTest
    @CsvSource({"20, 3, 10, 13", "21, 2, 10, 12", "5, 0, 2, 1", "3, 3, 2, 5"})
    void fastRetransmissionHalvesSpanAndAddsFastResend(int span, int fastResend, int threshold, int spanLimit) {
        losses.skipped = 1;
        losses.span = span;
        losses.fastResend = fastResend;
        assertAfterLoss(threshold, spanLimit);
    }

    @Test
    void timeoutReducesTheWindowToOneSegment() {
        losses.skipped = 1;
        losses.timedOut = 1;
        losses.span = 20;
        losses.effectiveWindow = 16;
        losses.fastResend = 2;
        assertAfterLoss(8, 1);
    }

    private void assertAfterLoss(int threshold, int spanLimit) {
        flush();
        assertThat(congestion.threshold()).isEqualTo(threshold);
        assertThat(congestion.spanLimit()).isEqualTo(spanLimit);
        assertThat(congestion.windowBytes()).isEqualTo(spanLimit * MSS);
    }

    private void flush() {
        if (losses.lost() > 0) {
            losses.mssBytes = MSS;
            congestion.onLost(losses);
        }
        flushed.mssBytes = MSS;
        congestion.onFlushed(flushed);
    }

    private void acknowledge(int remoteWindow, boolean unaAdvanced) {
        acks.unaAdvanced = unaAdvanced;
        acks.remoteWindow = remoteWindow;
        acks.mssBytes = MSS;
        congestion.onAcknowledged(acks);
    }
}

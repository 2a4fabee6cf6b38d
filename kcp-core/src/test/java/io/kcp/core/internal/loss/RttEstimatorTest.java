package io.kcp.core.internal.loss;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.internal.base.ProtocolConstants;
import org.junit.jupiter.api.Test;

class RttEstimatorTest {

    private final RttEstimator rtt = estimator(10, 30);

    @Test
    void timeoutIs200BeforeTheFirstSample() {
        assertThat(rtt.rtoMs()).isEqualTo(200);
        assertThat(rtt.isSampled()).isFalse();
        rtt.reconfigure(5_000, 1_000);
        assertThat(rtt.rtoMs()).as("settings alone do not change the timeout").isEqualTo(200);
    }

    @Test
    void followsKcpGoAtInterval10() {
        int[][] rows = {
            {100, 100, 50, 300}, {120, 102, 42, 270}, {80, 99, 37, 247}, {80, 96, 32, 224}, {10, 85, 33, 217},
            {300, 111, 78, 423}, {0, 97, 79, 413}, {50, 91, 71, 375}, {1, 79, 71, 363}, {0, 69, 73, 361}, {0, 60, 72, 348}};
        assertRows(rows, 10, 30);
    }

    @Test
    void followsKcpGoAtInterval100OnAPathTooFastToMeasure() {
        assertRows(new int[][] {{0, 0, 0, 100}, {0, 0, 0, 100}, {40, 40, 20, 140}}, 100, 100);
    }

    @Test
    void zeroRoundTripIsReplacedByTheNextSample() {
        assertRows(new int[][] {{0, 0, 0, 100}, {40, 40, 20, 140}}, 100, 100);
    }

    @Test
    void timeoutStaysWithinItsLimits() {
        rtt.onSample(1);
        assertThat(rtt.rtoMs()).isEqualTo(30);
        RttEstimator slow = estimator(10, 30);
        slow.onSample(ProtocolConstants.MAX_RTO_MS);
        assertThat(slow.rtoMs()).isEqualTo(60_000);
    }

    @Test
    void extremeSamplesNeverMakeTheTimeoutNegative() {
        for (int i = 0; i < 1_000; i++) {
            rtt.onSample(i % 2 == 0 ? ProtocolConstants.MAX_RTO_MS : 0);
            assertThat(rtt.rtoMs()).isBetween(30, 60_000);
            assertThat(rtt.smoothedRttMs()).isBetween(0, 60_000);
            assertThat(rtt.variationMs()).isBetween(0, 60_000);
        }
    }

    @Test
    void newSettingsApplyToTheTimeoutImmediately() {
        rtt.onSample(40);
        assertThat(rtt.rtoMs()).isEqualTo(40 + 80);
        rtt.reconfigure(500, 30);
        assertThat(rtt.rtoMs()).isEqualTo(40 + 500);
        rtt.reconfigure(10, 1_000);
        assertThat(rtt.rtoMs()).isEqualTo(1_000);
    }

    /** Each row consists of a sample, the smoothed round-trip time, the variation and the timeout. */
    private void assertRows(int[][] rows, int intervalMs, int minRtoMs) {
        rtt.reconfigure(intervalMs, minRtoMs);
        for (int i = 0; i < rows.length; i++) {
            rtt.onSample(rows[i][0]);
            int[] actual = {rows[i][0], rtt.smoothedRttMs(), rtt.variationMs(), rtt.rtoMs()};
            assertThat(actual).as("sample %d", i).isEqualTo(rows[i]);
        }
    }

    private static RttEstimator estimator(int intervalMs, int minRtoMs) {
        RttEstimator estimator = new RttEstimator();
        estimator.reconfigure(intervalMs, minRtoMs);
        return estimator;
    }
}

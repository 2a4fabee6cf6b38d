package io.kcp.core.internal.loss;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ReorderingEstimateTest {

    private final ReorderingEstimate estimate = new ReorderingEstimate();

    @Test
    void longestRoundTripCountsForOneToTwoPeriods() {
        estimate.onRoundTrip(80, 0, 50);
        estimate.onRoundTrip(60, 999, 50);
        assertThat(estimate.slowestMs()).isEqualTo(80);
        estimate.onRoundTrip(60, 1_000, 50);
        assertThat(estimate.slowestMs()).as("second period").isEqualTo(80);
        estimate.onRoundTrip(55, 1_999, 50);
        assertThat(estimate.slowestMs()).isEqualTo(80);
        estimate.onRoundTrip(55, 2_000, 50);
        assertThat(estimate.slowestMs()).as("third period").isEqualTo(60);
    }

    @Test
    void periodIsFourRoundTripsOnLongPaths() {
        estimate.onRoundTrip(900, 0, 500);
        estimate.onRoundTrip(600, 1_999, 500);
        estimate.onRoundTrip(600, 3_999, 500);
        assertThat(estimate.slowestMs()).isEqualTo(900);
        estimate.onRoundTrip(500, 5_999, 500);
        assertThat(estimate.slowestMs()).isEqualTo(600);
    }

    @Test
    void samplesBeforeALongPauseAreForgotten() {
        estimate.onRoundTrip(80, 0, 50);
        estimate.onRoundTrip(40, 1_999, 50);
        assertThat(estimate.slowestMs()).isEqualTo(80);
        estimate.onPathChanged(0);
        estimate.onRoundTrip(80, 0, 50);
        estimate.onRoundTrip(40, 2_000, 50);
        assertThat(estimate.slowestMs()).isEqualTo(40);
    }

    @Test
    void sampleIsLimitedToFourSmoothedRoundTrips() {
        estimate.onRoundTrip(10_000, 0, 50);
        assertThat(estimate.slowestMs()).isEqualTo(200);
        estimate.onPathChanged(0);
        assertThat(estimate.slowestMs()).isZero();
        estimate.onRoundTrip(10_000, 0, 0);
        assertThat(estimate.slowestMs()).as("the first sample").isEqualTo(10_000);
    }

    @Test
    void clockWraps() {
        estimate.onRoundTrip(80, -500, 50);
        estimate.onRoundTrip(60, 499, 50);
        assertThat(estimate.slowestMs()).isEqualTo(80);
        estimate.onRoundTrip(60, 500 + Integer.MIN_VALUE, 50);
        assertThat(estimate.slowestMs()).as("25 days later").isEqualTo(60);
    }
}

package io.kcp.core;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SlowestRoundTripTest {

    private final SlowestRoundTrip slowest = new SlowestRoundTrip();

    @Test
    void longestSampleCountsForOneToTwoPeriods() {
        slowest.onSample(80, 0, 50);
        slowest.onSample(60, 999, 50);
        assertThat(slowest.ms()).isEqualTo(80);
        slowest.onSample(60, 1_000, 50);
        assertThat(slowest.ms()).as("second period").isEqualTo(80);
        slowest.onSample(55, 1_999, 50);
        assertThat(slowest.ms()).isEqualTo(80);
        slowest.onSample(55, 2_000, 50);
        assertThat(slowest.ms()).as("third period").isEqualTo(60);
    }

    @Test
    void periodIsFourRoundTripsOnLongPaths() {
        slowest.onSample(900, 0, 500);
        slowest.onSample(600, 1_999, 500);
        slowest.onSample(600, 3_999, 500);
        assertThat(slowest.ms()).isEqualTo(900);
        slowest.onSample(500, 5_999, 500);
        assertThat(slowest.ms()).isEqualTo(600);
    }

    @Test
    void samplesBeforeALongPauseAreForgotten() {
        slowest.onSample(80, 0, 50);
        slowest.onSample(40, 1_999, 50);
        assertThat(slowest.ms()).isEqualTo(80);
        slowest.reset();
        slowest.onSample(80, 0, 50);
        slowest.onSample(40, 2_000, 50);
        assertThat(slowest.ms()).isEqualTo(40);
    }

    @Test
    void sampleIsLimitedToFourSmoothedRoundTrips() {
        slowest.onSample(10_000, 0, 50);
        assertThat(slowest.ms()).isEqualTo(200);
        slowest.reset();
        assertThat(slowest.ms()).isZero();
        slowest.onSample(10_000, 0, 0);
        assertThat(slowest.ms()).as("the first sample").isEqualTo(10_000);
    }

    @Test
    void clockWraps() {
        slowest.onSample(80, -500, 50);
        slowest.onSample(60, 499, 50);
        assertThat(slowest.ms()).isEqualTo(80);
        slowest.onSample(60, 500 + Integer.MIN_VALUE, 50);
        assertThat(slowest.ms()).as("25 days later").isEqualTo(60);
    }
}

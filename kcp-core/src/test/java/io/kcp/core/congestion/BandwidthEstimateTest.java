package io.kcp.core.congestion;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class BandwidthEstimateTest {

    private final BandwidthEstimate bandwidth = new BandwidthEstimate();

    private void round(long sample, boolean lossy) {
        bandwidth.onSample(sample, false);
        bandwidth.onRoundEnd(lossy);
    }

    @Test
    void oneSampleLiftsTheBoundOfCongestion() {
        round(1_000, false);
        bandwidth.limit(700);
        assertThat(bandwidth.bytesPerSecond()).isEqualTo(700);
        round(800, false);
        assertThat(bandwidth.bytesPerSecond()).isEqualTo(800);
    }

    /** A policer may deliver more for one round, until its token bucket is empty. */
    @Test
    void heldBoundIsLiftedAfterTwoRoundsWithoutLosses() {
        round(1_250, false);
        bandwidth.hold(1_000);
        round(1_250, false);
        assertThat(bandwidth.bytesPerSecond()).isEqualTo(1_000);
        assertThat(bandwidth.isConfirming()).isTrue();
        round(1_250, true);
        round(1_250, false);
        assertThat(bandwidth.bytesPerSecond()).as("the second round had losses").isEqualTo(1_000);
        round(1_200, false);
        assertThat(bandwidth.bytesPerSecond()).isEqualTo(1_200);
    }

    @Test
    void smallDeviationsDoNotLiftAHeldBound() {
        round(1_250, false);
        bandwidth.hold(1_000);
        for (int i = 0; i < 10; i++) {
            round(1_050, false);
        }
        assertThat(bandwidth.bytesPerSecond()).isEqualTo(1_000);
    }
}

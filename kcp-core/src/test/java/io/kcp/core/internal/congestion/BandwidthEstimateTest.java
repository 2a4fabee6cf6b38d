package io.kcp.core.internal.congestion;

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

    @Test
    void estimateIsTheMaximumOfTheCurrentAndThePreviousCycle() {
        assertThat(bandwidth.bytesPerSecond()).isZero();
        bandwidth.onSample(1_000, false);
        bandwidth.onSample(800, false);
        bandwidth.endCycle();
        bandwidth.onSample(600, false);
        assertThat(bandwidth.bytesPerSecond()).isEqualTo(1_000);
        bandwidth.endCycle();
        assertThat(bandwidth.bytesPerSecond()).isEqualTo(600);
        bandwidth.onSample(700, false);
        assertThat(bandwidth.bytesPerSecond()).isEqualTo(700);
    }

    @Test
    void cycleWithApplicationLimitedSamplesOnlyDoesNotEnd() {
        bandwidth.onSample(1_000, false);
        bandwidth.endCycle();
        bandwidth.onSample(100, true);
        bandwidth.endCycle();
        bandwidth.endCycle();
        assertThat(bandwidth.bytesPerSecond()).isEqualTo(1_000);
        bandwidth.onSample(200, false);
        bandwidth.endCycle();
        assertThat(bandwidth.bytesPerSecond()).isEqualTo(200);
    }

    @Test
    void scaleReducesTheEstimateUntilAHigherSample() {
        bandwidth.onSample(1_000, false);
        bandwidth.scale(0.9);
        assertThat(bandwidth.bytesPerSecond()).isEqualTo(900);
        bandwidth.scale(1);
        assertThat(bandwidth.bytesPerSecond()).isEqualTo(900);
        assertThat(bandwidth.maximum()).isEqualTo(1_000);
        bandwidth.onSample(900, false);
        assertThat(bandwidth.bytesPerSecond()).isEqualTo(900);
        bandwidth.onSample(901, false);
        assertThat(bandwidth.bytesPerSecond()).isEqualTo(901);
    }

    @Test
    void heldBoundIsNeverAboveTheEstimate() {
        bandwidth.onSample(1_000, false);
        bandwidth.hold(2_000);
        bandwidth.onSample(1_500, false);
        assertThat(bandwidth.bytesPerSecond()).isEqualTo(1_000);
    }

    @Test
    void laterReductionReplacesAHeldBound() {
        round(1_250, false);
        bandwidth.hold(1_000);
        bandwidth.limit(900);
        round(950, false);
        assertThat(bandwidth.bytesPerSecond()).isEqualTo(950);
    }

    @Test
    void secondHoldStartsToConfirmAgain() {
        round(1_250, false);
        bandwidth.hold(1_000);
        round(1_250, false);
        bandwidth.hold(1_000);
        assertThat(bandwidth.isConfirming()).isFalse();
        round(1_250, false);
        assertThat(bandwidth.bytesPerSecond()).isEqualTo(1_000);
        round(1_200, false);
        assertThat(bandwidth.bytesPerSecond()).as("the lower one of two rounds").isEqualTo(1_200);
    }

    @Test
    void replacementForgetsBothCyclesAndTheBound() {
        round(1_000, false);
        bandwidth.endCycle();
        round(900, false);
        bandwidth.hold(800);
        bandwidth.replace(500);
        assertThat(bandwidth.bytesPerSecond()).isEqualTo(500);
        assertThat(bandwidth.maximum()).isEqualTo(500);
        bandwidth.onSample(600, false);
        assertThat(bandwidth.bytesPerSecond()).as("no bound is left").isEqualTo(600);
    }
}

package io.kcp.core.internal.congestion;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class QueueDelayEstimateTest {

    private static final long MINIMUM_US = 100_000;

    private final QueueDelayEstimate delay = new QueueDelayEstimate();

    private void samples(int count, long rttUs) {
        for (int i = 0; i < count; i++) {
            delay.onSample(rttUs, 0);
        }
    }

    /** Adds a round with several samples. The path has the given minimum already. */
    private void round(long rttUs) {
        samples(10, rttUs);
        delay.onRoundEnd();
    }

    @Test
    void nothingIsKnownWithoutSamples() {
        assertThat(delay.isKnown()).isFalse();
        assertThat(delay.minimumUs()).isZero();
        assertThat(delay.hasQueue()).isFalse();
        assertThat(delay.hasLongQueue()).isFalse();
        assertThat(delay.isPathEmpty()).isFalse();
        assertThat(delay.isRising()).isFalse();
        assertThat(delay.hadShortQueue()).isFalse();
        assertThat(delay.isStale(Long.MAX_VALUE)).isFalse();
        delay.onDrained();
        assertThat(delay.isCrowded()).isFalse();
        assertThat(delay.excessUs()).isZero();
    }

    @Test
    void minimumIsTheShortestSampleButAtLeastFiftyMicroseconds() {
        delay.onSample(200, 0);
        delay.onSample(300, 0);
        assertThat(delay.minimumUs()).isEqualTo(200);
        delay.onSample(0, 0);
        assertThat(delay.minimumUs()).isEqualTo(50);
        assertThat(delay.isKnown()).isTrue();
    }

    @ParameterizedTest
    @CsvSource({"103_125, true", "103_126, false"})
    void sampleCloseToTheMinimumConfirmsIt(long rttUs, boolean confirmed) {
        delay.onSample(MINIMUM_US, 0);
        delay.onSample(rttUs, 5_000_000);
        assertThat(delay.isStale(10_000_000)).isFalse();
        assertThat(delay.isStale(10_000_001)).isEqualTo(!confirmed);
        assertThat(delay.isStale(15_000_001)).isTrue();
    }

    @ParameterizedTest
    @CsvSource({"1_500, true", "1_501, false"})
    void shortMinimumIsConfirmedWithinHalfAMillisecond(long rttUs, boolean confirmed) {
        delay.onSample(1_000, 0);
        delay.onSample(rttUs, 5_000_000);
        assertThat(delay.isStale(10_000_001)).isEqualTo(!confirmed);
    }

    @ParameterizedTest
    @CsvSource({"100_000, 112_500, 112_501", "4_000, 7_000, 7_001"})
    void queueIsAnEighthOrThreeMillisecondsAboveTheMinimum(long minimumUs, long withoutUs, long withUs) {
        round(minimumUs);
        samples(1, withoutUs);
        assertThat(delay.hasQueue()).isFalse();
        assertThat(delay.isPathEmpty()).isTrue();
        delay.onRoundEnd();
        samples(1, withUs);
        assertThat(delay.hasQueue()).isTrue();
        assertThat(delay.isPathEmpty()).isFalse();
    }

    @ParameterizedTest
    @CsvSource({"155_000, false", "155_001, true"})
    void longQueueIsHalfARoundTripAndFiveMilliseconds(long rttUs, boolean queue) {
        round(MINIMUM_US);
        samples(1, rttUs);
        assertThat(delay.hasLongQueue()).isEqualTo(queue);
    }

    @ParameterizedTest
    @CsvSource({"100_000, 110_000, false", "100_000, 110_001, true", "4_000, 6_000, false", "4_000, 6_001, true"})
    void shortQueueOfThePreviousRound(long minimumUs, long rttUs, boolean queue) {
        round(minimumUs);
        round(rttUs);
        assertThat(delay.hadShortQueue()).isEqualTo(queue);
        delay.onRoundEnd();
        assertThat(delay.hadShortQueue()).as("a round without samples").isEqualTo(queue);
    }

    @ParameterizedTest
    @CsvSource({"8, 125_001, true", "8, 125_000, false", "7, 125_001, false"})
    void delayRisesIfEightSamplesExceedTheMinimumByAQuarter(int samples, long rttUs, boolean rising) {
        round(MINIMUM_US);
        samples(samples, rttUs);
        assertThat(delay.isRising()).isEqualTo(rising);
    }

    @Test
    void shortestSampleOfARoundCounts() {
        round(MINIMUM_US);
        samples(20, 200_000);
        samples(1, 101_000);
        assertThat(delay.isRising()).isFalse();
        assertThat(delay.hasQueue()).isFalse();
        assertThat(delay.isPathEmpty()).isTrue();
    }

    @ParameterizedTest
    @CsvSource({"155_000, false", "155_001, true"})
    void pathIsCrowdedIfADrainedRoundIsLong(long rttUs, boolean crowded) {
        round(MINIMUM_US);
        samples(2, rttUs);
        delay.onDrained();
        assertThat(delay.isCrowded()).isEqualTo(crowded);
        delay.onRoundEnd();
        samples(2, MINIMUM_US);
        delay.onDrained();
        assertThat(delay.isCrowded()).isFalse();
    }

    @Test
    void oneSampleDoesNotDescribeADrainedRound() {
        round(MINIMUM_US);
        samples(1, 200_000);
        delay.onDrained();
        assertThat(delay.isCrowded()).isFalse();
        assertThat(delay.excessUs()).isZero();
    }

    /** Small differences may be caused by data of this sender that is still in the queue. */
    @Test
    void excessIsTheDrainedRoundTripAboveTheMinimumLessAnEighth() {
        round(MINIMUM_US);
        samples(2, 140_000);
        delay.onDrained();
        assertThat(delay.excessUs()).isEqualTo(40_000 - 12_500);
        delay.onRoundEnd();
        samples(2, 120_000);
        delay.onDrained();
        assertThat(delay.excessUs()).as("mean of 140 and 120 ms").isEqualTo(30_000 - 12_500);
    }

    @Test
    void excessIsAtMostTheMinimum() {
        round(MINIMUM_US);
        samples(2, 900_000);
        delay.onDrained();
        assertThat(delay.excessUs()).isEqualTo(MINIMUM_US);
    }

    /** Other senders or jitter lengthen the round trip without a queue of this sender. */
    @Test
    void queueIsMeasuredAboveTheDrainedRoundTrip() {
        round(MINIMUM_US);
        samples(2, 140_000);
        delay.onDrained();
        delay.onRoundEnd();
        samples(1, 127_500 + 127_500 / 8);
        assertThat(delay.hasQueue()).isFalse();
        delay.onRoundEnd();
        samples(1, 127_500 + 127_500 / 8 + 1);
        assertThat(delay.hasQueue()).isTrue();
    }

    @Test
    void jitterOfDrainedRoundsRaisesTheThresholds() {
        round(MINIMUM_US);
        samples(2, 140_000);
        delay.onDrained();
        delay.onRoundEnd();
        samples(2, 180_000);
        delay.onDrained();
        delay.onRoundEnd();
        // The drained round trip is 160 ms, the base is 147.5 ms, and the deviation is 10 ms.
        samples(1, 147_500 + 20_000);
        assertThat(delay.hasQueue()).isFalse();
        delay.onRoundEnd();
        samples(1, 147_500 + 20_001);
        assertThat(delay.hasQueue()).isTrue();
        delay.onRoundEnd();
        samples(1, 147_500 + 73_750 + 5_000 + 20_000);
        assertThat(delay.hasLongQueue()).isFalse();
        samples(1, 100_000);
        delay.onRoundEnd();
        samples(1, 147_500 + 73_750 + 5_000 + 20_001);
        assertThat(delay.hasLongQueue()).isTrue();
    }

    @Test
    void probeReplacesTheMinimumByTheShortestSampleSinceItsStart() {
        delay.onSample(MINIMUM_US, 0);
        delay.startProbe();
        delay.onSample(130_000, 11_000_000);
        delay.onSample(120_000, 11_100_000);
        assertThat(delay.minimumUs()).isEqualTo(MINIMUM_US);
        delay.endProbe(11_200_000);
        assertThat(delay.minimumUs()).isEqualTo(120_000);
        assertThat(delay.isStale(21_200_000)).isFalse();
        assertThat(delay.isStale(21_200_001)).isTrue();
    }

    @Test
    void probeWithoutSamplesKeepsTheMinimumForAnotherPeriod() {
        delay.onSample(MINIMUM_US, 0);
        delay.startProbe();
        delay.endProbe(11_000_000);
        assertThat(delay.minimumUs()).isEqualTo(MINIMUM_US);
        assertThat(delay.isStale(21_000_000)).isFalse();
        assertThat(delay.isStale(21_000_001)).isTrue();
    }

    @Test
    void probeDiscardsTheDrainedRoundTrip() {
        round(MINIMUM_US);
        samples(2, 140_000);
        delay.onDrained();
        delay.startProbe();
        samples(2, MINIMUM_US);
        delay.endProbe(1);
        assertThat(delay.excessUs()).isZero();
    }
}

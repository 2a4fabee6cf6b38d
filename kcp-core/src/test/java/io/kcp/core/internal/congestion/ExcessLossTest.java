package io.kcp.core.internal.congestion;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ExcessLossTest {

    private final LossFloor floor = new LossFloor();
    private final ExcessLoss excess = new ExcessLoss(floor);

    @Test
    void fewerThanAHundredSegmentsAreNotJudged() {
        assertThat(excess.isExcessive(99, 99)).isFalse();
        assertThat(excess.isExcessive(0, 1)).as("99 of 100").isTrue();
        assertThat(excess.isExcessive(50, 99)).as("a new sample").isFalse();
    }

    /** The path loses nothing, so the expected share is 0 and only the margins count. */
    @ParameterizedTest
    @CsvSource({"2, false, false", "3, false, true", "12, false, true", "13, true, true"})
    void twoSamplesAboveTwoPercentOrOneAboveTwelvePercentAreExcessive(int lost, boolean first, boolean second) {
        assertThat(excess.isExcessive(lost, 100)).isEqualTo(first);
        assertThat(excess.isExcessive(lost, 100)).isEqualTo(second);
    }

    @Test
    void samplesMustFollowOneAnother() {
        assertThat(excess.isExcessive(5, 100)).isFalse();
        assertThat(excess.isExcessive(0, 100)).isFalse();
        assertThat(excess.isExcessive(5, 100)).isFalse();
        assertThat(excess.isExcessive(5, 100)).isTrue();
    }

    /** With an expected share of 20 % and 100 segments, two standard deviations are 8 %, and the margin is 2 %. */
    @ParameterizedTest
    @CsvSource({"29, false", "31, true"})
    void lossesOfThePathAndTheirRandomDeviationAreExpected(int lost, boolean excessive) {
        floor.add(200, 1_000, false);
        excess.isExcessive(lost, 100);
        assertThat(excess.isExcessive(lost, 100)).isEqualTo(excessive);
        assertThat(excess.isRoundExcessive(lost, 100)).isEqualTo(excessive);
    }

    @Test
    void emptyRoundIsNotExcessive() {
        assertThat(excess.isRoundExcessive(0, 0)).isFalse();
        assertThat(excess.isRoundExcessive(1, 10)).isTrue();
    }

    @Test
    void probeIsJudgedAfterFiftySegmentsIfTheLossAtAReducedRateIsKnown() {
        excess.addWhileProbing(5, 60);
        assertThat(excess.hasProbeSample()).isFalse();
        floor.add(0, 40, true);
        assertThat(excess.hasProbeSample()).isTrue();
        assertThat(excess.takeProbeExcess()).isTrue();
        assertThat(excess.hasProbeSample()).as("a new sample").isFalse();
        excess.addWhileProbing(0, 49);
        assertThat(excess.hasProbeSample()).isFalse();
        excess.addWhileProbing(1, 1);
        assertThat(excess.hasProbeSample()).isTrue();
        assertThat(excess.takeProbeExcess()).as("one of fifty").isFalse();
    }

    /** The path loses 10 %. By chance, 2 of 45 segments were lost at a reduced rate, and 10 of 60 during a probe. */
    @Test
    void randomLossOfFewSegmentsIsNotTakenForAPolicer() {
        floor.add(100, 1_000, false);
        floor.add(2, 45, true);
        excess.addWhileProbing(10, 60);
        assertThat(excess.takeProbeExcess()).isFalse();
        excess.addWhileProbing(20, 60);
        assertThat(excess.takeProbeExcess()).as("a third of the segments").isTrue();
    }

    @Test
    void rateDependentShareIsTheDifferenceToTheReducedRate() {
        floor.add(5, 100, true);
        excess.addAtBandwidth(20, 99);
        assertThat(excess.takeRateDependentShare()).as("too few segments").isZero();
        excess.addAtBandwidth(10, 60);
        excess.addAtBandwidth(10, 40);
        assertThat(excess.takeRateDependentShare()).isCloseTo(0.2 - 0.05, within(1e-9));
        assertThat(excess.takeRateDependentShare()).as("a new sample").isZero();
        excess.addAtBandwidth(6, 100);
        assertThat(excess.takeRateDependentShare()).as("within the deviation").isZero();
    }

    @Test
    void lossesOfAnInterruptionAreDiscarded() {
        floor.add(0, 100, true);
        excess.isExcessive(5, 100);
        excess.isExcessive(60, 60);
        excess.addAtBandwidth(60, 60);
        excess.addWhileProbing(40, 40);
        excess.clear();
        assertThat(excess.isExcessive(0, 40)).isFalse();
        assertThat(excess.isExcessive(5, 60)).as("the first excessive sample").isFalse();
        excess.addAtBandwidth(0, 40);
        assertThat(excess.takeRateDependentShare()).isZero();
        excess.addWhileProbing(0, 10);
        assertThat(excess.hasProbeSample()).isFalse();
    }

    @Test
    void twoProbesWithLossesWithoutAQueueConfirmAPolicer() {
        PolicerDetector policer = new PolicerDetector(excess);
        floor.add(0, 100, true);
        assertThat(policer.isPoliced(10, 40, false)).as("too few segments").isFalse();
        assertThat(policer.isPoliced(10, 40, false)).isTrue();
        assertThat(policer.isConfirmed()).isFalse();
        assertThat(policer.isPoliced(10, 50, false)).isTrue();
        assertThat(policer.isConfirmed()).isTrue();
        assertThat(policer.probes()).isEqualTo(2);
        assertThat(policer.isPoliced(10, 50, true)).as("with a queue").isFalse();
        assertThat(policer.probes()).isZero();
        policer.isPoliced(10, 50, false);
        assertThat(policer.isPoliced(0, 50, false)).as("without losses").isFalse();
        assertThat(policer.probes()).isZero();
        policer.isPoliced(10, 50, false);
        policer.reset();
        assertThat(policer.probes()).isZero();
    }
}

package io.kcp.core.internal.congestion;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class LossFloorTest {

    private final LossFloor floor = new LossFloor();

    @Test
    void fewerThanFortySegmentsShowNoLosses() {
        floor.add(20, 39, false);
        assertThat(floor.share()).isZero();
        floor.add(0, 1, false);
        assertThat(floor.share()).isEqualTo(0.5);
    }

    @Test
    void shareIsAtMostOneHalf() {
        floor.add(90, 100, false);
        assertThat(floor.share()).isEqualTo(0.5);
    }

    @Test
    void olderSegmentsCountLess() {
        floor.add(200, 2_000, false);
        assertThat(floor.share()).isEqualTo(0.1);
        floor.add(0, 1, false);
        assertThat(floor.share()).isCloseTo(0.1, within(1e-3));
        floor.add(0, 999.5, false);
        assertThat(floor.share()).as("half of the older segments").isCloseTo(0.05, within(1e-3));
    }

    @Test
    void reducedShareIsUnknownBelowFortySegments() {
        floor.add(1, 39, true);
        assertThat(floor.isReducedShareKnown()).isFalse();
        assertThat(floor.reducedShare()).isEqualTo(1);
        floor.add(1, 1, true);
        assertThat(floor.isReducedShareKnown()).isTrue();
        assertThat(floor.reducedShare()).isEqualTo(0.05);
    }

    @Test
    void olderSegmentsAtAReducedRateCountLess() {
        floor.add(30, 301, true);
        floor.add(0, 150.5, true);
        assertThat(floor.reducedShare()).isCloseTo(15 / 301.0, within(1e-6));
    }

    /** A policer drops more segments at a higher rate, and its drops are not a property of the path. */
    @Test
    void shareIsLimitedBySlightlyMoreThanTheShareAtAReducedRate() {
        floor.add(5, 100, true);
        floor.add(300, 900, false);
        assertThat(floor.share()).isCloseTo(0.05 * 1.1 + 0.02, within(1e-9));
    }

    @Test
    void pathThatLosesNothingAtAReducedRateHasNoFloor() {
        floor.add(0, 149, true);
        floor.add(300, 900, false);
        assertThat(floor.share()).as("too few segments at the reduced rate").isCloseTo(0.02, within(1e-9));
        floor.add(0, 1, true);
        assertThat(floor.share()).isZero();
    }

    @Test
    void suspectedPolicerLeavesNoMarginAboveTheShareAtAReducedRate() {
        floor.add(5, 100, true);
        floor.add(300, 900, false);
        floor.setPoliced(true);
        assertThat(floor.share()).isCloseTo(0.05 * 1.1, within(1e-9));
        floor.setPoliced(false);
        assertThat(floor.share()).isCloseTo(0.05 * 1.1 + 0.02, within(1e-9));
    }
}

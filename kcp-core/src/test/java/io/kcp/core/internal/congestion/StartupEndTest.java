package io.kcp.core.internal.congestion;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class StartupEndTest {

    private final StartupEnd end = new StartupEnd();

    @Test
    void endsAfterThreeRoundsWithoutGrowthOfAQuarter() {
        assertThat(end.isReached(100, false)).isFalse();
        assertThat(end.isReached(124, false)).isFalse();
        assertThat(end.isReached(124, false)).isFalse();
        assertThat(end.isReached(125, false)).as("grows by 25 %%").isFalse();
        assertThat(end.isReached(156, false)).isFalse();
        assertThat(end.isReached(156, false)).isFalse();
        assertThat(end.isReached(156, false)).isTrue();
    }

    @Test
    void endsWhenTheDelayRises() {
        assertThat(end.isReached(100, true)).isTrue();
    }

    @Test
    void resetForgetsTheBandwidthAndTheRounds() {
        end.isReached(100, false);
        end.isReached(100, false);
        end.isReached(100, false);
        end.reset();
        for (int round = 0; round < 3; round++) {
            assertThat(end.isReached(10, false)).isFalse();
        }
        assertThat(end.isReached(10, false)).isTrue();
    }
}

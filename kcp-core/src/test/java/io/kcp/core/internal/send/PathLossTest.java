package io.kcp.core.internal.send;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PathLossTest {

    private final PathLoss loss = new PathLoss();

    /** Sends segments of which every tenth, twentieth and so on is lost. */
    private void send(int segments, int lossInterval) {
        for (int i = 1; i <= segments; i++) {
            loss.onSent();
            if (i % lossInterval == 0) {
                loss.onLost();
            }
        }
    }

    @Test
    void pathWithoutLossIsAboveNoLimit() {
        send(1_000, Integer.MAX_VALUE);
        assertThat(loss.isAbove(0)).isFalse();
    }

    @Test
    void estimateFollowsTheShareOfLosses() {
        send(2_000, 10);
        assertThat(loss.isAbove(0.08)).isTrue();
        assertThat(loss.isAbove(0.12)).isFalse();
        send(2_000, 50);
        assertThat(loss.isAbove(0.015)).isTrue();
        assertThat(loss.isAbove(0.025)).isFalse();
    }

    @Test
    void oneLossCountsAsAShareOfOneIn256() {
        loss.onLost();
        assertThat(loss.isAbove(1 / 256.0)).isFalse();
        assertThat(loss.isAbove(0.99 / 256)).isTrue();
    }

    @Test
    void spuriousLossTakesTheLossBack() {
        send(2_000, 10);
        loss.onLost();
        boolean above = loss.isAbove(0.1);
        for (int i = 0; i < 20; i++) {
            loss.onLost();
        }
        for (int i = 0; i < 20; i++) {
            loss.onSpuriousLoss();
        }
        assertThat(loss.isAbove(0.1)).isEqualTo(above);
        for (int i = 0; i < 300; i++) {
            loss.onSpuriousLoss();
        }
        assertThat(loss.isAbove(0)).isFalse();
        loss.onLost();
        assertThat(loss.isAbove(0)).as("the estimate does not become negative").isTrue();
    }

    @Test
    void estimateIsAtMostOne() {
        for (int i = 0; i < 1_000; i++) {
            loss.onLost();
        }
        assertThat(loss.isAbove(0.999)).isTrue();
        assertThat(loss.isAbove(1)).isFalse();
        send(256 * 20, Integer.MAX_VALUE);
        assertThat(loss.isAbove(0)).as("the estimate returns to 0").isFalse();
    }
}

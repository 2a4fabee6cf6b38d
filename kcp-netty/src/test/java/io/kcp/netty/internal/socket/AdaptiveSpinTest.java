package io.kcp.netty.internal.socket;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.SelectStrategy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class AdaptiveSpinTest {

    private static final long LOOK_NANOS = 500;
    private static final long WAKE_NANOS = 40_000;

    private long nowNanos;
    private long nextDatagramNanos;
    private int looks;
    private final AdaptiveSpin spin = new AdaptiveSpin(() -> nowNanos);

    /** Simulates an event loop that waits for a datagram. Returns {@code true} if the event loop blocked. */
    private boolean waitFor(long laterNanos) throws Exception {
        nextDatagramNanos = nowNanos + laterNanos;
        while (true) {
            int strategy = spin.calculateStrategy(this::look, false);
            if (strategy == SelectStrategy.SELECT) {
                nowNanos = Math.max(nowNanos, nextDatagramNanos) + WAKE_NANOS;
                return true;
            }
            if (strategy > 0) {
                return false;
            }
        }
    }

    private int look() {
        looks++;
        nowNanos += LOOK_NANOS;
        return nowNanos >= nextDatagramNanos ? 1 : 0;
    }

    private void engage() throws Exception {
        for (int i = 0; i <= AdaptiveSpin.SHORT_WAITS; i++) {
            waitFor(10_000);
        }
        assertThat(waitFor(10_000)).as("slept").isFalse();
    }

    @Test
    void loopWithLongWaitsNeverSpins() throws Exception {
        for (int i = 0; i < 10_000; i++) {
            assertThat(waitFor(AdaptiveSpin.SHORT_WAIT_NANOS)).isTrue();
        }
        assertThat(looks).isZero();
    }

    @Test
    void fewLongWaitsAmongShortOnesAreEnoughToSleep() throws Exception {
        for (int i = 0; i < 10_000; i++) {
            assertThat(waitFor(i % 8 == 0 ? 1_000_000 : 10_000)).isTrue();
        }
        assertThat(looks).isZero();
    }

    @Test
    void loopSpinsWhenAllItsWaitsAreShort() throws Exception {
        engage();
        for (int i = 0; i < 1_000; i++) {
            assertThat(waitFor(10_000)).isFalse();
        }
    }

    @Test
    void longWaitNowAndThenDoesNotKeepItFromSpinning() throws Exception {
        int slept = 0;
        for (int i = 0; i < 1_000; i++) {
            slept += waitFor(i % 20 == 0 ? 1_000_000 : 10_000) ? 1 : 0;
        }
        assertThat(slept).as("until it spins, and the long ones").isLessThan(250);
    }

    @Test
    void waitInVainIsShortAndEndsInSleep() throws Exception {
        engage();
        looks = 0;
        assertThat(waitFor(10_000_000)).isTrue();
        assertThat(looks * LOOK_NANOS).isBetween(AdaptiveSpin.SPIN_NANOS, AdaptiveSpin.SPIN_NANOS + 2 * LOOK_NANOS);
    }

    @Test
    void twoWaitsInVainEndTheSpinning() throws Exception {
        engage();
        waitFor(10_000_000);
        waitFor(10_000_000);
        looks = 0;
        for (int i = 0; i < 100; i++) {
            waitFor(10_000_000);
        }
        assertThat(looks).isZero();
    }

    @Test
    void onceSpinningOneWaitInVainAmongManyIsForgiven() throws Exception {
        engage();
        for (int i = 0; i < 1_000; i++) {
            assertThat(waitFor(i % 50 == 49 ? 1_000_000 : 10_000)).isEqualTo(i % 50 == 49);
        }
    }

    @Test
    void tasksAreSeenWhileItSpins() throws Exception {
        engage();
        nextDatagramNanos = nowNanos + 20_000;
        assertThat(spin.calculateStrategy(this::look, false)).as("no loop of its own").isZero();
        assertThat(spin.calculateStrategy(this::look, true)).as("with tasks").isZero();
    }
}

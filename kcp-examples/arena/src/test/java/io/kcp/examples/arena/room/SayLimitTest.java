package io.kcp.examples.arena.room;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Starts near the overflow of the clock. */
class SayLimitTest {

    private static final int RATE = 20;
    private long nowNanos = Long.MAX_VALUE - TimeUnit.SECONDS.toNanos(5);
    private final SayLimit limit = new SayLimit(RATE, nowNanos);

    @Test
    void burstIsAllowedAndThenTheRate() {
        assertThat(allowed(1_000)).isEqualTo(RATE * SayLimit.BURST_SECONDS);
        nowNanos += TimeUnit.SECONDS.toNanos(3);
        assertThat(allowed(1_000)).isEqualTo(RATE * 3);
        nowNanos += TimeUnit.HOURS.toNanos(1);
        assertThat(allowed(1_000)).isEqualTo(RATE * SayLimit.BURST_SECONDS);
    }

    @Test
    void constantRateIsNeverRefused() {
        for (int i = 0; i < 10_000; i++) {
            assertThat(allowed(1)).isEqualTo(1);
            nowNanos += TimeUnit.SECONDS.toNanos(1) / RATE;
        }
    }

    private int allowed(int messages) {
        int allowed = 0;
        for (int i = 0; i < messages; i++) {
            allowed += limit.allows(nowNanos) ? 1 : 0;
        }
        return allowed;
    }
}

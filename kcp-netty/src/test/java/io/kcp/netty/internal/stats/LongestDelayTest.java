package io.kcp.netty.internal.stats;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class LongestDelayTest {

    @Test
    void longestDelayCoversTwoWindows() {
        LongestDelay delay = new LongestDelay();
        delay.add(5, 1_000);
        delay.add(3, 2_000);
        assertThat(delay.maxMs(3_000)).isEqualTo(5);
        assertThat(delay.maxMs(3_000)).as("reading changes nothing").isEqualTo(5);
        delay.add(2, 1_000 + LongestDelay.WINDOW_MS);
        assertThat(delay.maxMs(2_000 + LongestDelay.WINDOW_MS)).isEqualTo(5);
        assertThat(delay.maxMs(1_000 + 2 * LongestDelay.WINDOW_MS)).isEqualTo(2);
        assertThat(delay.maxMs(1_000 + 4 * LongestDelay.WINDOW_MS)).isZero();
    }
}

package io.kcp.netty.reconnect;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReconnectDelayTest {

    private static long[] delays(ReconnectDelay backoff, int count) {
        return IntStream.rangeClosed(1, count).mapToLong(backoff::delayMs).toArray();
    }

    private static ReconnectDelay seeded(long seed) {
        return new ReconnectDelay(100, 5_000, 0.5, new Random(seed)::nextDouble);
    }

    @Test
    void delayDoublesUpToTheLongest() {
        assertThat(delays(new ReconnectDelay(100, 1_500, 0, () -> 0.7), 7)).containsExactly(100, 200, 400, 800, 1_500, 1_500, 1_500);
    }

    @Test
    void chanceTakesAwayTheShareThatIsLeftToIt() {
        assertThat(new ReconnectDelay(1_000, 1_000, 0.25, () -> 0).delayMs(1)).isEqualTo(1_000);
        assertThat(new ReconnectDelay(1_000, 1_000, 0.25, () -> 1).delayMs(1)).isEqualTo(750);
        assertThat(new ReconnectDelay(1_000, 1_000, 1, () -> 1).delayMs(1)).isZero();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void everyDelayLiesBetweenHalfAndAllOfTheFullOne(long seed) {
        long[] full = delays(new ReconnectDelay(100, 5_000, 0, () -> 0), 50);
        long[] delays = delays(seeded(seed), 50);
        for (int i = 0; i < delays.length; i++) {
            assertThat(delays[i]).as("seed %d, failure %d", seed, i + 1).isBetween(full[i] / 2, full[i]);
        }
        assertThat(delays).as("seed %d", seed).isNotEqualTo(delays(seeded(seed + 100), 50));
        assertThat(delays).as("seed %d", seed).isEqualTo(delays(seeded(seed), 50));
    }

    @Test
    void manyFailuresOfLongDelaysDoNotOverflow() {
        long yearMs = 365L * 24 * 3_600 * 1_000;
        assertThat(new ReconnectDelay(yearMs, yearMs, 0, () -> 0).delayMs(Integer.MAX_VALUE)).isEqualTo(yearMs);
        assertThat(new ReconnectDelay(1, 1L << 50, 0, () -> 0).delayMs(1_000)).isEqualTo(1L << 50);
        assertThat(new ReconnectDelay(3, yearMs, 0, () -> 0).delayMs(Integer.MAX_VALUE)).isEqualTo(yearMs);
    }
}

package io.kcp.examples.arena.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class LiveSamplerTest {

    @Test
    void aPercentileIsTheSmallestThatSoManyDoNotExceed() {
        int[] hundred = IntStream.rangeClosed(1, 100).toArray();
        assertThat(LiveSampler.percentile(hundred, 50)).isEqualTo(50);
        assertThat(LiveSampler.percentile(hundred, 99)).isEqualTo(99);
        assertThat(LiveSampler.percentile(hundred, 100)).isEqualTo(100);
        assertThat(LiveSampler.percentile(new int[] {7}, 50)).isEqualTo(7);
        assertThat(LiveSampler.percentile(new int[] {1, 2, 3}, 99)).isEqualTo(3);
        assertThat(LiveSampler.percentile(new int[0], 50)).isZero();
    }
}

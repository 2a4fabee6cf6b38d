package io.kcp.examples.arena.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class LiveSamplerTest {

    @Test
    void percentileIsTheNearestRank() {
        int[] hundred = IntStream.rangeClosed(1, 100).toArray();
        assertThat(LiveSampler.percentile(hundred, 50)).isEqualTo(50);
        assertThat(LiveSampler.percentile(hundred, 99)).isEqualTo(99);
        assertThat(LiveSampler.percentile(hundred, 100)).isEqualTo(100);
        assertThat(LiveSampler.percentile(new int[] {7}, 50)).isEqualTo(7);
        assertThat(LiveSampler.percentile(new int[] {1, 2, 3}, 99)).isEqualTo(3);
        assertThat(LiveSampler.percentile(new int[0], 50)).isZero();
    }

    @Test
    void reportedSnapshotsCountAtMostAsSent() {
        assertThat(LiveSampler.lost(seen(120, 110), seen(100, 95))).isEqualTo(5);
        assertThat(LiveSampler.lost(seen(120, 118), seen(100, 95))).as("three came late").isEqualTo(-3);
        assertThat(LiveSampler.lost(seen(120, 120), seen(100, 0))).as("it had reported nothing").isEqualTo(-20);
        assertThat(LiveSampler.lost(seen(120, 0), seen(100, 0))).isEqualTo(20);
    }

    @Test
    void topSessionsOfEachOrderAppearOnce() {
        List<LiveSampler.Session> lines = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            lines.add(new LiveSampler.Session("player" + i, "room", i, i < 12 ? 0 : 100 - i, i < 12 ? 50 : 0, 0, 0, 0));
        }
        List<LiveSampler.Session> top = LiveSampler.top(lines);
        assertThat(top).doesNotHaveDuplicates().hasSize(24 + 12);
        assertThat(top).extracting(LiveSampler.Session::rttMs).contains(99, 88, 0, 11, 12, 23).doesNotContain(87, 24);
        assertThat(LiveSampler.top(List.of(lines.get(3)))).containsExactly(lines.get(3));
    }

    private static LiveSampler.Reading seen(int sent, int seen) {
        return new LiveSampler.Reading("player", "room", 0, null, sent, seen);
    }
}

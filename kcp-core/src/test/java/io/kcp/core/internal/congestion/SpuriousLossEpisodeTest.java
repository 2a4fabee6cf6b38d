package io.kcp.core.internal.congestion;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SpuriousLossEpisodeTest {

    private final SpuriousLossEpisode episode = new SpuriousLossEpisode();
    private final LossReport report = new LossReport();

    @BeforeEach
    void twoLosses() {
        report.timeUs = 20_000_000;
        report.event = 5;
        report.skipped = 2;
    }

    private void begin() {
        episode.begin(report);
        episode.onLost(report);
    }

    @Test
    void episodeIsSpuriousWhenAllItsLossesAre() {
        assertThat(episode.isOpen()).isFalse();
        assertThat(episode.onResolved(5, true)).as("no episode has begun").isFalse();
        begin();
        assertThat(episode.isOpen()).isTrue();
        assertThat(episode.onResolved(4, true)).as("a loss of before").isFalse();
        assertThat(episode.onResolved(5, true)).isFalse();
        assertThat(episode.onResolved(6, true)).isTrue();
        assertThat(episode.isOpen()).isFalse();
    }

    @Test
    void oneRealLossEndsTheEpisode() {
        begin();
        assertThat(episode.onResolved(5, false)).isFalse();
        assertThat(episode.isOpen()).isFalse();
        assertThat(episode.onResolved(5, true)).isFalse();
    }

    @Test
    void segmentThatFecRecoveredWasLost() {
        report.recovered = 1;
        begin();
        assertThat(episode.isOpen()).isFalse();
    }

    @Test
    void endedEpisodeIsNotSpurious() {
        begin();
        episode.end();
        episode.onResolved(5, true);
        assertThat(episode.onResolved(5, true)).isFalse();
    }

    /** A peer that always echoes the first timestamp makes every loss appear spurious. */
    @Test
    void atMostSixteenEpisodesInTenSecondsAreSpurious() {
        report.skipped = 1;
        for (int i = 0; i < 16; i++) {
            begin();
            assertThat(episode.onResolved(5, true)).isTrue();
        }
        begin();
        assertThat(episode.isOpen()).isFalse();
        report.timeUs += 9_999_999;
        begin();
        assertThat(episode.isOpen()).isFalse();
        report.timeUs += 1;
        begin();
        assertThat(episode.isOpen()).isTrue();
    }

    @Test
    void eventNumbersMayWrap() {
        report.event = Integer.MAX_VALUE;
        begin();
        assertThat(episode.onResolved(Integer.MAX_VALUE, true)).isFalse();
        assertThat(episode.onResolved(Integer.MIN_VALUE, true)).isTrue();
    }
}

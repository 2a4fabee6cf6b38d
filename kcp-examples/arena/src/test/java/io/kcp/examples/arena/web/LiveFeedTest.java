package io.kcp.examples.arena.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.examples.arena.RunningArena;
import io.kcp.examples.arena.bots.BotFleet;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Mono;

@Timeout(60)
class LiveFeedTest {

    private static final Duration SOON = Duration.ofSeconds(30);

    @Test
    void restartedArenaAdmitsAndShowsPlayers() {
        try (RunningArena arena = new RunningArena()) {
            checkThatBotsAreShown(arena);
            Mono<Void> end = arena.bean(LiveFeed.class).samples().then();
            arena.restart();
            end.block(SOON);
            checkThatBotsAreShown(arena);
        }
    }

    private static void checkThatBotsAreShown(RunningArena arena) {
        try (BotFleet fleet = new BotFleet(arena.bots("--bots=3"))) {
            assertThat(fleet.awaitIn(SOON)).as("%s", fleet.report().summary()).isTrue();
            LiveSampler.Sample sample = arena.bean(LiveFeed.class).samples().filter(later -> later.players() == 3).blockFirst(SOON);
            assertThat(sample).isNotNull();
            assertThat(sample.gateway()).isEqualTo(arena.name());
        }
    }
}

package io.kcp.examples.arena.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.examples.arena.RunningArena;
import io.kcp.examples.arena.bots.BotFleet;
import io.kcp.examples.arena.bots.BotSettings;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Mono;

/** The samples of a gateway that runs. */
@Timeout(60)
class LiveFeedTest {

    private static final Duration SOON = Duration.ofSeconds(20);

    @Test
    void anArenaThatIsStoppedAndStartedAgainLetsPlayersInAndShowsThem() {
        try (RunningArena arena = new RunningArena()) {
            checkThatBotsAreShown(arena);
            Mono<Void> end = arena.bean(LiveFeed.class).samples().then();
            arena.restart();
            end.block(SOON);
            checkThatBotsAreShown(arena);
        }
    }

    private static void checkThatBotsAreShown(RunningArena arena) {
        BotSettings settings = new BotSettings(List.of(arena.players())).bots(3).timeouts(Duration.ofSeconds(4), Duration.ofSeconds(4));
        try (BotFleet fleet = new BotFleet(settings)) {
            assertThat(fleet.awaitIn(SOON)).as("%s", fleet.report().summary()).isTrue();
            LiveSample sample = arena.bean(LiveFeed.class).samples().filter(later -> later.players() == 3).blockFirst(SOON);
            assertThat(sample).isNotNull();
            assertThat(sample.gateway()).isEqualTo(arena.gateway().name());
        }
    }
}

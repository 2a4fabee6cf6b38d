package io.kcp.examples.arena.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.examples.arena.RunningArena;
import io.kcp.examples.arena.bots.BotFleet;
import io.kcp.examples.arena.bots.BotSettings;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Flux;

/** What the page is given. */
@Timeout(60)
class LiveControllerTest {

    private static final Duration SOON = Duration.ofSeconds(20);

    @Test
    void whoIsOneTooManyIsToldSoUntilAnotherGoes() throws Exception {
        try (RunningArena arena = new RunningArena("arena.live.max-viewers=1")) {
            HttpClient client = HttpClient.newHttpClient();
            HttpResponse<InputStream> first = look(client, arena, "live/sessions");
            assertThat(first.statusCode()).isEqualTo(200);
            HttpResponse<InputStream> second = look(client, arena, "live/sessions");
            assertThat(second.statusCode()).isEqualTo(503);
            assertThat(second.headers().firstValue("Content-Type").orElse("")).startsWith("text/plain");
            try (InputStream text = second.body()) {
                assertThat(new String(text.readAllBytes(), StandardCharsets.UTF_8))
                    .isEqualTo("1 look already (arena.live.max-viewers); try again later");
            }
            first.body().close();
            long endNanos = System.nanoTime() + SOON.toNanos();
            int status = 503;
            while (status == 503) {
                assertThat(System.nanoTime() - endNanos).as("the place is free again").isNegative();
                TimeUnit.MILLISECONDS.sleep(100);
                HttpResponse<InputStream> again = look(client, arena, "live/sessions");
                status = again.statusCode();
                again.body().close();
            }
            assertThat(status).isEqualTo(200);
        }
    }

    private static HttpResponse<InputStream> look(HttpClient client, RunningArena arena, String path) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(arena.page() + path)).header("Accept", "text/event-stream").timeout(SOON)
            .build();
        return client.send(request, HttpResponse.BodyHandlers.ofInputStream());
    }

    @Test
    void oneSessionCanBeWatched() {
        try (RunningArena arena = new RunningArena();
             BotFleet fleet = new BotFleet(new BotSettings(List.of(arena.players())).bots(2).timeouts(SOON, SOON))) {
            assertThat(fleet.awaitIn(SOON)).isTrue();
            List<SessionMoment> seen = arena.bean(LiveController.class).session("bot1").take(2).collectList().block(SOON);
            assertThat(seen).hasSize(2).allSatisfy(moment -> assertThat(moment.session().player()).isEqualTo("bot1"));
            assertThat(seen.get(1).timeMs()).isGreaterThan(seen.get(0).timeMs());
        }
    }

    @Test
    void aWorldIsReadOnceForAllWhoLookAtIt() {
        try (RunningArena arena = new RunningArena();
             BotFleet fleet = new BotFleet(new BotSettings(List.of(arena.players())).bots(2).timeouts(SOON, SOON))) {
            assertThat(fleet.awaitIn(SOON)).isTrue();
            LiveController controller = arena.bean(LiveController.class);
            List<LiveWorld> seen =
                Flux.merge(controller.world(null).take(10), controller.world("room-0").take(10)).collectList().block(SOON);
            assertThat(seen).hasSize(20).allSatisfy(world -> assertThat(world.room()).isEqualTo("room-0"));
            Set<LiveWorld> read = Collections.newSetFromMap(new IdentityHashMap<>());
            read.addAll(seen);
            // Who came first may have seen one before the other came.
            assertThat(read).hasSizeBetween(10, 12);
        }
    }
}

package io.kcp.examples.arena.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kcp.examples.arena.RunningArena;
import io.kcp.examples.arena.bots.BotFleet;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class LiveControllerTest {

    private static final Duration SOON = Duration.ofSeconds(30);

    @Test
    void viewersOverLimitAreRejected() throws Exception {
        try (RunningArena arena = new RunningArena("arena.max-viewers=1")) {
            HttpClient client = HttpClient.newHttpClient();
            HttpResponse<InputStream> first = look(client, arena, "live/samples");
            assertThat(first.statusCode()).isEqualTo(200);
            HttpResponse<InputStream> second = look(client, arena, "live/samples");
            assertThat(second.statusCode()).isEqualTo(503);
            second.body().close();
            first.body().close();
            await().atMost(SOON).untilAsserted(() -> {
                HttpResponse<InputStream> again = look(client, arena, "live/samples");
                again.body().close();
                assertThat(again.statusCode()).isEqualTo(200);
            });
        }
    }

    private static HttpResponse<InputStream> look(HttpClient client, RunningArena arena, String path) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(arena.page() + path)).header("Accept", "text/event-stream").timeout(SOON)
            .build();
        return client.send(request, HttpResponse.BodyHandlers.ofInputStream());
    }

    @Test
    @Tag("slow")
    void fullestRoomIsShownByDefault() {
        try (RunningArena arena = new RunningArena(); BotFleet fleet = new BotFleet(arena.bots("--bots=3", "--room-size=2"))) {
            assertThat(fleet.awaitIn(SOON)).isTrue();
            LiveController controller = arena.bean(LiveController.class);
            assertThat(controller.world(null).take(3).collectList().block(SOON)).hasSize(3)
                .allSatisfy(world -> assertThat(world.room()).isEqualTo("room-0"));
            LiveController.LiveWorld chosen = controller.world("room-1").blockFirst(SOON);
            assertThat(chosen).isNotNull();
            assertThat(chosen.room()).isEqualTo("room-1");
            assertThat(chosen.rooms()).containsExactly("room-0", "room-1");
        }
    }
}

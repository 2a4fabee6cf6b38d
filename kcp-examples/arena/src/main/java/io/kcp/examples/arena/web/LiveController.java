package io.kcp.examples.arena.web;

import io.kcp.examples.arena.server.Gateway;
import io.kcp.examples.arena.server.Room;
import io.kcp.examples.arena.world.ArenaMap;
import io.kcp.examples.arena.world.Wall;
import io.kcp.examples.arena.world.WorldView;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Flux;

/** What the page asks for. */
@RestController
final class LiveController {

    private static final Duration VIEW_INTERVAL = Duration.ofMillis(100);

    /**
     * The ground.
     *
     * @param width  in units
     * @param height in units
     * @param scale  what positions of views are divided by to be units
     * @param walls  what is in the way
     */
    record Ground(int width, int height, int scale, List<Wall> walls) {
    }

    private final Gateway gateway;
    private final LiveFeed feed;

    LiveController(Gateway gateway, LiveFeed feed) {
        this.gateway = gateway;
        this.feed = feed;
    }

    @GetMapping("/live/ground")
    Ground ground() {
        return new Ground(ArenaMap.WIDTH, ArenaMap.HEIGHT, WorldView.UNITS_PER_LENGTH, ArenaMap.WALLS);
    }

    /** One room's world ten times a second; without a room, or when it ends, that of the room with most players. */
    @GetMapping(path = "/live/world", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
    Flux<LiveWorld> world(@RequestParam(required = false) @Nullable String room) {
        return Flux.interval(Duration.ZERO, VIEW_INTERVAL).onBackpressureDrop().mapNotNull(tick -> look(room))
            .takeUntilOther(feed.samples().ignoreElements());
    }

    private @Nullable LiveWorld look(@Nullable String wanted) {
        List<Room> open = gateway.rooms();
        Room room = wanted != null ? gateway.room(wanted) : null;
        if (room == null) {
            room = open.isEmpty() ? null : open.get(0);
        }
        WorldView view = room != null ? room.view() : null;
        return view == null ? null
            : new LiveWorld(Objects.requireNonNull(room).name(), open.stream().limit(60).map(Room::name).toList(), view);
    }

    /** A sample each second; those of the last minutes at once. */
    @GetMapping(path = "/live/sessions", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
    Flux<LiveSample> sessions() {
        return feed.samples();
    }
}

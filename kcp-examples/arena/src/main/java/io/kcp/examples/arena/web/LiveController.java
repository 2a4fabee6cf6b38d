package io.kcp.examples.arena.web;

import io.kcp.examples.arena.ArenaProperties;
import io.kcp.examples.arena.room.Room;
import io.kcp.examples.arena.room.Rooms;
import io.kcp.examples.arena.world.ArenaMap;
import io.kcp.examples.arena.world.WorldView;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Flux;

/** Provides the data of the live page as server-sent events. */
@RestController
final class LiveController {

    private static final Duration WORLD_INTERVAL = Duration.ofMillis(100);
    private static final Duration MAX_SILENCE = Duration.ofSeconds(30);
    private static final int MAX_ROOMS = 60;

    /**
     * The map.
     *
     * @param width  width in units
     * @param height height in units
     * @param scale  positions of views per unit
     * @param walls  the walls
     */
    record Ground(int width, int height, int scale, List<ArenaMap.Wall> walls) {
    }

    /**
     * The world of a room.
     *
     * @param room  name of the room
     * @param rooms names of the open rooms, those with most players first
     * @param view  the world
     */
    record LiveWorld(String room, List<String> rooms, WorldView view) {
    }

    private final Rooms rooms;
    private final LiveFeed feed;
    private final Viewers viewers;

    LiveController(Rooms rooms, LiveFeed feed, ArenaProperties properties) {
        this.rooms = rooms;
        this.feed = feed;
        viewers = new Viewers(properties.maxViewers(), MAX_SILENCE);
    }

    @GetMapping("/live/ground")
    Ground ground() {
        return new Ground(ArenaMap.WIDTH, ArenaMap.HEIGHT, WorldView.UNITS_PER_LENGTH, ArenaMap.WALLS);
    }

    /** Streams the world of a room. If no room is specified or the room has closed, streams the world of the room with the most players. */
    @GetMapping(path = "/live/world", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
    Flux<LiveWorld> world(@RequestParam(required = false) @Nullable String room) {
        return viewers.admit(Flux.interval(Duration.ZERO, WORLD_INTERVAL).onBackpressureDrop().mapNotNull(tick -> look(room))
            .takeUntilOther(feed.samples().ignoreElements()));
    }

    private @Nullable LiveWorld look(@Nullable String wanted) {
        List<Room> open = rooms.list();
        Room found = wanted != null ? rooms.find(wanted) : null;
        Room room = found != null ? found : open.isEmpty() ? null : open.get(0);
        WorldView view = room != null ? room.view() : null;
        return room == null || view == null ? null
            : new LiveWorld(room.name(), open.stream().limit(MAX_ROOMS).map(Room::name).toList(), view);
    }

    /** Streams the samples of the past three minutes, followed by a new sample every second. */
    @GetMapping(path = "/live/samples", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
    Flux<LiveSampler.Sample> samples() {
        return viewers.admit(feed.samples());
    }
}

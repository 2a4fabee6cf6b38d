package io.kcp.examples.arena.web;

import io.kcp.examples.arena.server.Gateway;
import io.kcp.examples.arena.world.ArenaMap;
import io.kcp.examples.arena.world.Wall;
import io.kcp.examples.arena.world.WorldView;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Flux;

/** What the page asks for. */
@RestController
final class LiveController {

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

    /** How long a viewer may take nothing. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final LiveWorlds worlds;
    private final LiveFeed feed;
    private final Viewers viewersOfWorlds;
    private final Viewers viewersOfSessions;
    private final Viewers viewersOfOneSession;

    LiveController(Gateway gateway, LiveFeed feed, LiveProperties properties) {
        worlds = new LiveWorlds(gateway);
        this.feed = feed;
        viewersOfWorlds = new Viewers(properties.maxViewers(), PATIENCE);
        viewersOfSessions = new Viewers(properties.maxViewers(), PATIENCE);
        viewersOfOneSession = new Viewers(properties.maxViewers(), PATIENCE);
    }

    @GetMapping("/live/ground")
    Ground ground() {
        return new Ground(ArenaMap.WIDTH, ArenaMap.HEIGHT, WorldView.UNITS_PER_LENGTH, ArenaMap.WALLS);
    }

    /** One room's world ten times a second; without a room, or when it ends, that of the room with most players. */
    @GetMapping(path = "/live/world", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
    Flux<LiveWorld> world(@RequestParam(required = false) @Nullable String room) {
        return viewersOfWorlds.admit(worlds.of(room).takeUntilOther(feed.samples().ignoreElements()));
    }

    /** A sample each second; those of the last minutes at once. */
    @GetMapping(path = "/live/sessions", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
    Flux<LiveSample> sessions() {
        return viewersOfSessions.admit(feed.samples());
    }

    /** A player's session each second, from now on. */
    @GetMapping(path = "/live/session", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
    Flux<SessionMoment> session(@RequestParam String player) {
        return viewersOfOneSession.admit(feed.session(player));
    }

    @ExceptionHandler
    ResponseEntity<String> refuse(TooManyViewersException full) {
        return ResponseEntity.status(HttpStatus.SERVICE_UNAVAILABLE).contentType(MediaType.TEXT_PLAIN).body(full.getMessage());
    }
}

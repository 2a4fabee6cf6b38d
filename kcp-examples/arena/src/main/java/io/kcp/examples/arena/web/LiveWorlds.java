package io.kcp.examples.arena.web;

import io.kcp.examples.arena.server.Gateway;
import io.kcp.examples.arena.server.Room;
import io.kcp.examples.arena.world.WorldView;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;

/** The worlds of the rooms, ten times a second. Each is read once for all who look at it, and none if nobody looks. */
final class LiveWorlds {

    private static final Duration INTERVAL = Duration.ofMillis(100);
    private static final int MAX_ROOMS = 60;

    private final Gateway gateway;
    private final Flux<Moment> moments;

    LiveWorlds(Gateway gateway) {
        this.gateway = gateway;
        moments = Flux.interval(Duration.ZERO, INTERVAL).onBackpressureDrop().map(tick -> new Moment(gateway.rooms())).publish().refCount();
    }

    /** What there is to see at one moment. */
    private final class Moment {

        private final List<Room> open;
        private final List<String> names;
        private final Map<String, LiveWorld> worlds = new ConcurrentHashMap<>();

        Moment(List<Room> open) {
            this.open = open;
            names = open.stream().limit(MAX_ROOMS).map(Room::name).toList();
        }

        @Nullable LiveWorld world(@Nullable String wanted) {
            Room room = wanted != null ? gateway.room(wanted) : null;
            if (room == null) {
                if (open.isEmpty()) {
                    return null;
                }
                room = open.get(0);
            }
            LiveWorld known = worlds.get(room.name());
            if (known != null) {
                return known;
            }
            WorldView view = room.view();
            if (view == null) {
                return null;
            }
            LiveWorld world = new LiveWorld(room.name(), names, view);
            worlds.put(room.name(), world);
            return world;
        }
    }

    /** That of one room; without one, or when it ends, that of the room with most players. Who is slow misses some. */
    Flux<LiveWorld> of(@Nullable String room) {
        return moments.onBackpressureLatest().mapNotNull(moment -> moment.world(room));
    }
}

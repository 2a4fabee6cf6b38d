package io.kcp.examples.cluster;

import io.kcp.examples.arena.room.ArenaCounters;
import io.kcp.examples.arena.room.Rooms;
import io.kcp.examples.arena.wire.KickReason;
import io.kcp.spring.KcpServers;
import java.time.Duration;
import org.springframework.context.SmartLifecycle;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Drains a gateway behind a load balancer without health checks. Such a balancer sends some of the kicked players back to the stopping
 * gateway. A server that no longer accepts sessions drops their datagrams, so each attempt to join would last until the player's response
 * timeout. Therefore the gateway keeps accepting sessions, and kicks their players, until no player has arrived for {@link #QUIET}.
 */
final class BalancerDrain implements SmartLifecycle {

    /**
     * The drain ends when no player has been kicked for this time. It exceeds the time between a kick and the next join of the player,
     * which is a reconnect delay and a round trip.
     */
    static final Duration QUIET = Duration.ofSeconds(1);
    static final Duration LONGEST = Duration.ofSeconds(10);

    private final Rooms rooms;
    private final ArenaCounters counters;
    private volatile boolean running;

    BalancerDrain(Rooms rooms, ArenaCounters counters) {
        this.rooms = rooms;
        this.counters = counters;
    }

    @Override
    public void start() {
        running = true;
    }

    @Override
    public void stop(Runnable callback) {
        Flux<Long> kicked = Flux.interval(Duration.ZERO, QUIET).map(second -> counters.kicked(KickReason.DRAINING));
        Mono.fromCompletionStage(rooms::drain)
            .thenMany(kicked.buffer(2, 1).takeUntil(counts -> counts.get(0).equals(counts.get(counts.size() - 1))))
            .take(LONGEST)
            .doFinally(end -> {
                running = false;
                callback.run();
            }).subscribe();
    }

    @Override
    public void stop() {
        rooms.drain();
        running = false;
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    /** Returns {@code false}, because the KCP server is not paused with the application context either. */
    @Override
    public boolean isPauseable() {
        return false;
    }

    /** Returns a lifecycle phase that ends before the KCP server stops accepting sessions. */
    @Override
    public int getPhase() {
        return KcpServers.GRACEFUL_SHUTDOWN_PHASE + 1;
    }
}

package io.kcp.examples.arena.web;

import io.kcp.examples.arena.ArenaProperties;
import io.kcp.examples.arena.room.ArenaCounters;
import io.kcp.examples.arena.room.Rooms;
import io.kcp.spring.KcpServers;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;
import org.springframework.stereotype.Component;
import reactor.core.publisher.BufferOverflowStrategy;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Sinks;

/** Takes a sample every second while the KCP servers run, and keeps the samples of the last three minutes for new viewers. */
@Component
final class LiveFeed implements SmartLifecycle {

    private static final Logger LOGGER = LoggerFactory.getLogger(LiveFeed.class);
    private static final int KEPT_SAMPLES = 180;
    /** Lifecycle phase that starts after the KCP servers have started and stops before they drain. */
    private static final int PHASE = DEFAULT_PHASE - 256;

    /** Resources that exist from a start until the next stop. */
    private record Run(Sinks.Many<LiveSample> samples, ScheduledExecutorService executor) {
    }

    private final ArenaProperties properties;
    private final KcpServers servers;
    private final ArenaCounters counters;
    private final Rooms rooms;
    private volatile @Nullable Run run;

    LiveFeed(ArenaProperties properties, KcpServers servers, ArenaCounters counters, Rooms rooms) {
        this.properties = properties;
        this.servers = servers;
        this.counters = counters;
        this.rooms = rooms;
    }

    /**
     * Returns a stream of the kept samples, followed by new samples. A slow viewer misses the oldest samples. The stream ends when the
     * application stops.
     */
    Flux<LiveSample> samples() {
        Run present = run;
        return present == null ? Flux.empty()
            : present.samples.asFlux().onBackpressureBuffer(KEPT_SAMPLES, missed -> { }, BufferOverflowStrategy.DROP_OLDEST);
    }

    @Override
    public void start() {
        LiveSampler sampler = new LiveSampler(properties.name(), servers, counters, rooms);
        Sinks.Many<LiveSample> samples = Sinks.many().replay().limit(KEPT_SAMPLES);
        ScheduledExecutorService executor = Executors.newSingleThreadScheduledExecutor(new DefaultThreadFactory("arena-live", true));
        executor.scheduleAtFixedRate(() -> {
            try {
                samples.tryEmitNext(sampler.sample());
            } catch (RuntimeException failure) {
                LOGGER.debug("Taking a sample failed", failure);
            }
        }, 1, 1, TimeUnit.SECONDS);
        run = new Run(samples, executor);
    }

    @Override
    public void stop() {
        Run ended = run;
        run = null;
        if (ended != null) {
            ended.executor.shutdown();
            ended.samples.tryEmitComplete();
        }
    }

    @Override
    public boolean isRunning() {
        return run != null;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }
}

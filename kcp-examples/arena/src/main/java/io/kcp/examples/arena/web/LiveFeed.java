package io.kcp.examples.arena.web;

import io.kcp.examples.arena.ArenaProperties;
import io.kcp.examples.arena.room.ArenaCounters;
import io.kcp.examples.arena.room.Rooms;
import io.kcp.spring.KcpServers;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;
import org.springframework.stereotype.Component;
import reactor.core.publisher.BufferOverflowStrategy;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;

/** Takes a sample every second while the KCP servers run, and keeps the samples of the past three minutes for new viewers. */
@Component
final class LiveFeed implements SmartLifecycle {

    private static final Logger LOGGER = LoggerFactory.getLogger(LiveFeed.class);
    private static final Duration INTERVAL = Duration.ofSeconds(1);
    private static final int KEPT_SAMPLES = 180;
    /** Lifecycle phase that starts after the KCP servers have started, and stops before the servers drain their sessions. */
    private static final int PHASE = DEFAULT_PHASE - 256;

    private final ArenaProperties properties;
    private final KcpServers servers;
    private final ArenaCounters counters;
    private final Rooms rooms;
    private volatile Sinks.@Nullable Many<LiveSampler.Sample> samples;

    LiveFeed(ArenaProperties properties, KcpServers servers, ArenaCounters counters, Rooms rooms) {
        this.properties = properties;
        this.servers = servers;
        this.counters = counters;
        this.rooms = rooms;
    }

    /**
     * Returns a stream that begins with the kept samples and continues with new ones. A slow viewer misses the oldest samples. The stream
     * ends when the application stops.
     */
    Flux<LiveSampler.Sample> samples() {
        Sinks.Many<LiveSampler.Sample> present = samples;
        return present == null ? Flux.empty()
            : present.asFlux().onBackpressureBuffer(KEPT_SAMPLES, missed -> { }, BufferOverflowStrategy.DROP_OLDEST);
    }

    @Override
    public void start() {
        LiveSampler sampler = new LiveSampler(properties.name(), servers, counters, rooms);
        Sinks.Many<LiveSampler.Sample> started = Sinks.many().replay().limit(KEPT_SAMPLES);
        samples = started;
        // Takes all samples on a single worker thread, which is permitted to block.
        Flux.interval(INTERVAL, Schedulers.boundedElastic()).takeWhile(second -> samples == started).map(second -> sampler.sample())
            .onErrorContinue((failure, second) -> LOGGER.debug("Taking a sample failed", failure)).subscribe(started::tryEmitNext);
    }

    @Override
    public void stop() {
        Sinks.Many<LiveSampler.Sample> ended = samples;
        samples = null;
        if (ended != null) {
            ended.tryEmitComplete();
        }
    }

    @Override
    public boolean isRunning() {
        return samples != null;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }
}

package io.kcp.examples.arena.web;

import io.kcp.examples.arena.server.Gateway;
import io.kcp.spring.KcpServer;
import io.kcp.spring.KcpServers;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;
import reactor.core.publisher.Flux;

/** Takes a sample each second while the KCP server runs, and keeps those of the last minutes for who looks later. */
final class LiveFeed implements SmartLifecycle {

    private static final Logger LOGGER = LoggerFactory.getLogger(LiveFeed.class);
    private static final Duration INTERVAL = Duration.ofSeconds(1);
    private static final int KEPT_SAMPLES = 180;
    /** Started after the KCP server, stopped before it. */
    private static final int PHASE = DEFAULT_PHASE - 256;

    private final Gateway gateway;
    private final KcpServers servers;
    private volatile @Nullable Run run;

    /** From a start to the stop after it. */
    private record Run(LiveSampler sampler, RecentSamples<LiveSample> samples, ScheduledExecutorService executor) {
    }

    LiveFeed(Gateway gateway, KcpServers servers) {
        this.gateway = gateway;
        this.servers = servers;
    }

    /** Returns the samples of the last minutes, then those to come; ends when this is stopped. */
    Flux<LiveSample> samples() {
        Run present = run;
        return present != null ? present.samples.all() : Flux.empty();
    }

    /** Returns how a player's session stands, each second from now on; nothing while it has none. Ends when this is stopped. */
    Flux<SessionMoment> session(String player) {
        Run present = run;
        if (present == null) {
            return Flux.empty();
        }
        long nowMs = System.currentTimeMillis();
        return present.samples.all().filter(sample -> sample.timeMs() > nowMs)
            .mapNotNull(sample -> present.sampler.moment(player));
    }

    private void sample(LiveSampler sampler, RecentSamples<LiveSample> samples) {
        try {
            KcpServer server = servers.find("server");
            if (server != null) {
                samples.add(sampler.sample(server.channel()));
            }
        } catch (RuntimeException failure) {
            LOGGER.debug("no sample", failure);
        }
    }

    @Override
    public void start() {
        LiveSampler sampler = new LiveSampler(gateway);
        RecentSamples<LiveSample> samples = new RecentSamples<>(KEPT_SAMPLES);
        ScheduledExecutorService executor = Executors.newSingleThreadScheduledExecutor(new DefaultThreadFactory("arena-live", true));
        run = new Run(sampler, samples, executor);
        executor.scheduleAtFixedRate(() -> sample(sampler, samples), INTERVAL.toMillis(), INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
    }

    @Override
    public void stop() {
        Run ended = run;
        run = null;
        if (ended != null) {
            ended.executor.shutdown();
            ended.samples.end();
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

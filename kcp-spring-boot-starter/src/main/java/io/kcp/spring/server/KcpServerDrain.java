package io.kcp.spring.server;

import io.kcp.spring.KcpDrainListener;
import io.kcp.spring.KcpServers;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.springframework.context.SmartLifecycle;

/** Lets the sessions of all graceful servers finish. Spring waits for as long as {@code spring.lifecycle.timeout-per-shutdown-phase}. */
final class KcpServerDrain implements SmartLifecycle {

    private final ConfiguredKcpServers servers;
    private final List<KcpDrainListener> listeners;
    private volatile boolean running;

    KcpServerDrain(ConfiguredKcpServers servers, List<KcpDrainListener> listeners) {
        this.servers = servers;
        this.listeners = List.copyOf(listeners);
    }

    @Override
    public void start() {
        running = true;
    }

    @Override
    public void stop() {
        stop(() -> { });
    }

    @Override
    public void stop(Runnable callback) {
        CompletableFuture<?>[] drained = servers.all().stream().filter(server -> server.isRunning() && server.isGraceful())
            .map(server -> server.drain(listeners)).toArray(CompletableFuture<?>[]::new);
        CompletableFuture.allOf(drained).whenComplete((done, failure) -> {
            running = false;
            callback.run();
        });
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    /** Not paused and resumed with others: peers would lose their sessions, and a free port would be another one. */
    @Override
    public boolean isPauseable() {
        return false;
    }

    @Override
    public int getPhase() {
        return KcpServers.GRACEFUL_SHUTDOWN_PHASE;
    }
}

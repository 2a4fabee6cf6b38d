package io.kcp.spring.server;

import io.kcp.spring.KcpDrainListener;
import io.kcp.spring.KcpServers;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.springframework.context.SmartLifecycle;

/**
 * Drains all servers that are configured for graceful shutdown. Spring waits at most {@code spring.lifecycle.timeout-per-shutdown-phase}.
 */
final class KcpServerGracefulShutdownLifecycle implements SmartLifecycle {

    private final ConfiguredKcpServers servers;
    private final List<KcpDrainListener> listeners;
    private volatile boolean running;

    KcpServerGracefulShutdownLifecycle(ConfiguredKcpServers servers, List<KcpDrainListener> listeners) {
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

    /**
     * Returns {@code false}, because pausing a server with the application context would close its sessions and change a randomly
     * assigned port.
     */
    @Override
    public boolean isPauseable() {
        return false;
    }

    @Override
    public int getPhase() {
        return KcpServers.GRACEFUL_SHUTDOWN_PHASE;
    }
}

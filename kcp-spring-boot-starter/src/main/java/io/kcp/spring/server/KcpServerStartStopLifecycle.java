package io.kcp.spring.server;

import io.kcp.spring.KcpServerInitializedEvent;
import io.kcp.spring.KcpServers;
import io.netty.channel.ChannelHandler;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.SmartLifecycle;

/**
 * Binds all servers after the beans of the application have started, and shuts down the servers' event loops when the application stops.
 */
final class KcpServerStartStopLifecycle implements SmartLifecycle {

    private final ConfiguredKcpServers servers;
    private final SessionHandlers handlers;
    private final ApplicationEventPublisher events;
    private volatile boolean running;

    KcpServerStartStopLifecycle(ConfiguredKcpServers servers, SessionHandlers handlers, ApplicationEventPublisher events) {
        this.servers = servers;
        this.handlers = handlers;
        this.events = events;
    }

    @Override
    public void start() {
        Map<NettyKcpServer, ChannelHandler> starting = new LinkedHashMap<>();
        servers.all().forEach(server -> starting.put(server, handlers.handlerFor(server.name())));
        running = true;
        try {
            starting.forEach(NettyKcpServer::start);
            starting.keySet().forEach(server -> events.publishEvent(new KcpServerInitializedEvent(server)));
        } catch (RuntimeException failed) {
            stop();
            throw failed;
        }
    }

    @Override
    public void stop() {
        List<Runnable> waits = new ArrayList<>();
        servers.all().forEach(server -> waits.add(server.stop()));
        waits.forEach(Runnable::run);
        running = false;
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
        return KcpServers.START_STOP_LIFECYCLE_PHASE;
    }
}

package io.kcp.spring;

import io.netty.channel.ChannelFuture;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.context.SmartLifecycle;

/** Lets the sessions of all graceful servers finish. Spring waits for as long as {@code spring.lifecycle.timeout-per-shutdown-phase}. */
final class KcpServerDrain implements SmartLifecycle {

    private static final Log LOG = LogFactory.getLog(KcpServerDrain.class);
    /** That in which Boot's web servers let requests finish. */
    private static final int PHASE = DEFAULT_PHASE - 1024;

    private final ConfiguredKcpServers servers;
    private volatile boolean running;

    KcpServerDrain(ConfiguredKcpServers servers) {
        this.servers = servers;
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
        List<NettyKcpServer> draining = servers.all().stream().filter(server -> server.isRunning() && server.isGraceful()).toList();
        AtomicInteger left = new AtomicInteger(1 + draining.size());
        Runnable oneDone = () -> {
            if (left.decrementAndGet() == 0) {
                running = false;
                callback.run();
            }
        };
        draining.forEach(server -> {
            LOG.info("KCP server \"" + server.name() + "\" accepts no more sessions and lets those that are open finish");
            ChannelFuture drained = server.drain();
            drained.addListener(done -> {
                LOG.info("KCP server \"" + server.name() + "\" has no more sessions");
                oneDone.run();
            });
        });
        oneDone.run();
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }
}

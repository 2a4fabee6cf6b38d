package io.kcp.examples.arena.server;

import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/** Sends the players away before the KCP server lets its sessions finish. */
final class GatewayDrain implements SmartLifecycle {

    private static final Logger LOGGER = LoggerFactory.getLogger(GatewayDrain.class);
    /** Stopped before the KCP server and Boot's web servers let what is open finish. */
    private static final int PHASE = DEFAULT_PHASE - 512;
    private static final long MAX_SECONDS = 10;

    private final Gateway gateway;
    private volatile boolean running;

    GatewayDrain(Gateway gateway) {
        this.gateway = gateway;
    }

    @Override
    public void start() {
        gateway.open();
        running = true;
    }

    @Override
    public void stop() {
        stop(() -> { });
    }

    @Override
    public void stop(Runnable callback) {
        int players = gateway.figures().players();
        LOGGER.info("Gateway {} sends {} players away", gateway.name(), players);
        gateway.drain().orTimeout(MAX_SECONDS, TimeUnit.SECONDS).whenComplete((drained, failure) -> {
            LOGGER.info("Gateway {} has {}", gateway.name(), failure == null ? "no players any more" : "waited long enough");
            running = false;
            callback.run();
        });
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    /** Nor is the KCP server. */
    @Override
    public boolean isPauseable() {
        return false;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }
}

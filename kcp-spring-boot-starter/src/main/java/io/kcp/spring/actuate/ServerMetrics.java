package io.kcp.spring.actuate;

import io.kcp.netty.metrics.KcpMeterBinder;
import io.kcp.spring.KcpServer;
import io.kcp.spring.KcpServerInitializedEvent;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.HashMap;
import java.util.Map;
import org.springframework.context.ApplicationListener;

/**
 * Registers the meters of each server when the server starts. The meters of a stopped server remain registered until the server starts
 * again or the application stops.
 */
final class ServerMetrics implements ApplicationListener<KcpServerInitializedEvent>, AutoCloseable {

    private static final String SERVER_TAG = "server";

    private final MeterRegistry registry;
    private final Map<String, KcpMeterBinder> byServer = new HashMap<>();

    ServerMetrics(MeterRegistry registry) {
        this.registry = registry;
    }

    @Override
    public synchronized void onApplicationEvent(KcpServerInitializedEvent event) {
        KcpServer server = event.getServer();
        KcpMeterBinder binder = new KcpMeterBinder(server.channel(), Tags.of(SERVER_TAG, server.name()));
        KcpMeterBinder previous = byServer.put(server.name(), binder);
        if (previous != null) {
            // Closes the old binder first, because the registry would otherwise keep the meters of that binder instead of registering the
            // new meters.
            previous.close();
        }
        binder.bindTo(registry);
    }

    @Override
    public synchronized void close() {
        byServer.values().forEach(KcpMeterBinder::close);
        byServer.clear();
    }
}

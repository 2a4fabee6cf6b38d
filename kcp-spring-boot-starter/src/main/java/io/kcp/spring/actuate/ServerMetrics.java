package io.kcp.spring.actuate;

import io.kcp.netty.metrics.KcpMeterBinder;
import io.kcp.spring.KcpServer;
import io.kcp.spring.KcpServerInitializedEvent;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.HashMap;
import java.util.Map;
import org.springframework.context.ApplicationListener;

/** Binds the meters of each server that listens. They stay when it has stopped, until it starts again or the application ends. */
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
        KcpMeterBinder former = byServer.put(server.name(), binder);
        if (former != null) {
            // First: a registry keeps the meter that it has.
            former.close();
        }
        binder.bindTo(registry);
    }

    @Override
    public synchronized void close() {
        byServer.values().forEach(KcpMeterBinder::close);
        byServer.clear();
    }
}

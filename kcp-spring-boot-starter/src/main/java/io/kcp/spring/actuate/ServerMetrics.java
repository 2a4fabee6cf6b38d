package io.kcp.spring.actuate;

import io.kcp.netty.metrics.KcpMeterBinder;
import io.kcp.netty.metrics.SmuxMeterBinder;
import io.kcp.netty.smux.SmuxTotals;
import io.kcp.spring.KcpServer;
import io.kcp.spring.KcpServerInitializedEvent;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationListener;

/**
 * Registers the meters of each server when the server starts. The meters of a stopped server remain registered until the server starts
 * again or the application stops.
 */
final class ServerMetrics implements ApplicationListener<KcpServerInitializedEvent>, AutoCloseable {

    private static final String SERVER_TAG = "server";

    private final MeterRegistry registry;
    private record Binders(KcpMeterBinder server, @Nullable SmuxMeterBinder smux) {

        void bindTo(MeterRegistry registry) {
            server.bindTo(registry);
            if (smux != null) {
                smux.bindTo(registry);
            }
        }

        void close() {
            server.close();
            if (smux != null) {
                smux.close();
            }
        }
    }

    private final Map<String, Binders> byServer = new HashMap<>();

    ServerMetrics(MeterRegistry registry) {
        this.registry = registry;
    }

    @Override
    public synchronized void onApplicationEvent(KcpServerInitializedEvent event) {
        KcpServer server = event.getServer();
        Tags tags = Tags.of(SERVER_TAG, server.name());
        SmuxTotals totals = server.smuxTotals();
        Binders binder = new Binders(new KcpMeterBinder(server.channel(), tags), totals == null ? null : new SmuxMeterBinder(totals, tags));
        Binders previous = byServer.put(server.name(), binder);
        if (previous != null) {
            // Closes the old binder first, because the registry would otherwise keep the meters of that binder instead of registering the
            // new meters.
            previous.close();
        }
        binder.bindTo(registry);
    }

    @Override
    public synchronized void close() {
        byServer.values().forEach(Binders::close);
        byServer.clear();
    }
}

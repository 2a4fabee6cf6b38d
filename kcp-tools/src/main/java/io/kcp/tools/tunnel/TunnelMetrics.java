package io.kcp.tools.tunnel;

import com.sun.net.httpserver.HttpServer;
import io.kcp.netty.metrics.KcpMeterBinder;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executors;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** Serves the meters of a tunnel to Prometheus. The meters of its sessions are those of {@link KcpMeterBinder}. */
final class TunnelMetrics {

    private static final String PATH = "/metrics";
    private static final int OK = 200;

    private TunnelMetrics() {
    }

    /**
     * Starts the HTTP server. Does nothing if the options contain no address for it.
     *
     * @throws IOException if the port is in use
     */
    static void start(TunnelOptions options, RunningTunnel tunnel, TunnelLog log) throws IOException {
        StreamAddress address = options.metricsAddress();
        if (address != null) {
            InetSocketAddress bound = serve(address, tunnel).getAddress();
            log.info("metrics on http://" + bound.getAddress().getHostAddress() + ':' + bound.getPort() + PATH);
        }
    }

    static HttpServer serve(StreamAddress address, RunningTunnel tunnel) throws IOException {
        String host = Objects.requireNonNull(address.host());
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        new KcpMeterBinder(tunnel::collectStats, List.of()).bindTo(registry);
        bindStreams(registry, tunnel.counters());
        InetSocketAddress local = host.isEmpty() ? new InetSocketAddress(address.port()) : new InetSocketAddress(host, address.port());
        HttpServer http;
        try {
            http = HttpServer.create(local, 0);
        } catch (IOException failed) {
            throw new IOException("cannot serve metrics on " + address + ": " + failed.getMessage(), failed);
        }
        http.createContext(PATH, exchange -> {
            byte[] body = registry.scrape().getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", "text/plain; version=0.0.4; charset=utf-8");
            exchange.sendResponseHeaders(OK, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        http.setExecutor(Executors.newSingleThreadExecutor(task -> {
            Thread thread = new Thread(task, "metrics");
            thread.setDaemon(true);
            return thread;
        }));
        http.start();
        return http;
    }

    private static void bindStreams(MeterRegistry registry, StreamCounters counters) {
        Gauge.builder("kcp.tunnel.streams.active", counters, StreamCounters::active).description("Streams that are connected now")
            .strongReference(true).register(registry);
        counter(registry, counters, "kcp.tunnel.streams.opened", "Streams that were connected", null, StreamCounters::opened);
        counter(registry, counters, "kcp.tunnel.streams.failed", "Connections that failed, because the target or the session failed", null,
            StreamCounters::failed);
        String bytes = "Bytes relayed";
        counter(registry, counters, "kcp.tunnel.bytes", bytes, "to_socket", StreamCounters::bytesToSockets);
        counter(registry, counters, "kcp.tunnel.bytes", bytes, "from_socket", StreamCounters::bytesFromSockets);
    }

    private static void counter(MeterRegistry registry, StreamCounters counters, String name, String description,
        @Nullable String direction, ToDoubleFunction<StreamCounters> value) {
        var builder = FunctionCounter.builder(name, counters, value).description(description);
        (direction == null ? builder : builder.baseUnit("bytes").tag("direction", direction)).register(registry);
    }
}

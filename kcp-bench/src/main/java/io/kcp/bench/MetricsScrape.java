package io.kcp.bench;

import io.kcp.netty.KcpServerChannel;
import io.kcp.netty.metrics.KcpMeterBinder;
import io.micrometer.core.instrument.Tags;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.lang.management.ManagementFactory;
import java.util.Locale;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Reads all meters of a server once per second on its own thread, as a Prometheus scrape does. */
final class MetricsScrape implements AutoCloseable {

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(new DefaultThreadFactory("scrape", true));
    private final ScheduledFuture<?> task;
    private final AtomicInteger scrapes = new AtomicInteger();
    private volatile long cpuNanos;

    MetricsScrape(KcpServerChannel server) {
        new KcpMeterBinder(server, Tags.of("server", "load")).bindTo(registry);
        task = thread.scheduleAtFixedRate(this::scrape, 1, 1, TimeUnit.SECONDS);
    }

    /** Returns all metrics in the Prometheus text format. */
    String text() {
        return registry.scrape();
    }

    private void scrape() {
        if (!text().contains("kcp_bytes_total{")) {
            throw new IllegalStateException("the scrape does not contain kcp_bytes_total");
        }
        cpuNanos = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
        scrapes.incrementAndGet();
    }

    /** Returns a summary with the number of scrapes and the CPU time of each scrape. */
    String summary() {
        return String.format(Locale.ROOT, "%d scrapes, each %.2f ms of CPU on the scraping thread, not counting the event loops",
            scrapes.get(), cpuNanos / 1e6 / scrapes.get());
    }

    /** Stops scraping, and throws an exception if a scrape has failed, because the measurement is then invalid. */
    @Override
    public void close() {
        boolean failed = task.isDone();
        thread.shutdownNow();
        if (failed) {
            throw new IllegalStateException("a scrape of the metrics failed: " + task);
        }
    }
}

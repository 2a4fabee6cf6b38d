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

/** Reads all meters of a server each second, as a scrape of Prometheus does, on a thread of its own. */
final class MetricsScrape implements AutoCloseable {

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(new DefaultThreadFactory("scrape", true));
    private final ScheduledFuture<?> task;
    private final AtomicInteger scrapes = new AtomicInteger();
    private volatile long cpuNanos;

    /** Begins. */
    MetricsScrape(KcpServerChannel server) {
        new KcpMeterBinder(server, Tags.of("server", "load")).bindTo(registry);
        task = thread.scheduleAtFixedRate(this::scrape, 1, 1, TimeUnit.SECONDS);
    }

    /** Returns what Prometheus would be told now. */
    String text() {
        return registry.scrape();
    }

    private void scrape() {
        if (!text().contains("kcp_bytes_total{")) {
            throw new IllegalStateException("a scrape has no figures of the server");
        }
        cpuNanos = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
        scrapes.incrementAndGet();
    }

    /** For people: how often, and at what cost for the thread that scrapes. */
    String summary() {
        return String.format(Locale.ROOT, "scraped %d times, %.2f ms of CPU each beside what the event loops did", scrapes.get(),
            cpuNanos / 1e6 / scrapes.get());
    }

    /** Ends, and throws if a scrape has failed: whoever measured has measured something else. */
    @Override
    public void close() {
        boolean failed = task.isDone();
        thread.shutdownNow();
        if (failed) {
            throw new IllegalStateException("scraping failed: " + task);
        }
    }
}

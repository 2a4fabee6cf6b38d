package io.kcp.netty.metrics;

import io.kcp.netty.smux.SmuxError;
import io.kcp.netty.smux.SmuxTotals;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.ToDoubleFunction;

/**
 * Binds Micrometer meters that report the numbers of open, opened, refused and closed smux streams. Closed streams are counted by reason.
 * Reading a meter never blocks. This class is thread-safe.
 */
public final class SmuxMeterBinder implements MeterBinder, AutoCloseable {

    private record Bound(MeterRegistry registry, Meter meter) { }

    private final SmuxTotals totals;
    private final List<Tag> tags;
    private final List<Bound> bound = new CopyOnWriteArrayList<>();

    /**
     * Creates a binder that is not bound to a registry yet.
     *
     * @param totals the counters that were passed to {@link io.kcp.netty.smux.SmuxHandlerBuilder#totals}
     * @param tags   the tags of all meters; if there are several servers, include a name that distinguishes their meters
     */
    public SmuxMeterBinder(SmuxTotals totals, Iterable<Tag> tags) {
        this.totals = Objects.requireNonNull(totals, "totals");
        this.tags = Tags.of(tags).stream().toList();
    }

    /**
     * Adds the meters to a registry. The registry keeps the counters reachable.
     *
     * @param registry the registry to which the meters are added
     */
    @Override
    public void bindTo(MeterRegistry registry) {
        bound.add(new Bound(registry, Gauge.builder("kcp.smux.streams.active", totals, SmuxTotals::open)
            .description("smux streams open now").tags(tags).strongReference(true).register(registry)));
        String opened = "smux streams opened";
        counter(registry, "kcp.smux.streams.opened", opened, SmuxTotals::opened, "by", "local");
        counter(registry, "kcp.smux.streams.opened", opened, SmuxTotals::accepted, "by", "peer");
        counter(registry, "kcp.smux.streams.refused", "smux streams of peers refused", SmuxTotals::refused);
        String closed = "smux streams closed";
        counter(registry, "kcp.smux.streams.closed", closed, SmuxTotals::closed, "reason", "application");
        for (SmuxError error : SmuxError.values()) {
            counter(registry, "kcp.smux.streams.closed", closed, counts -> counts.closed(error), "reason",
                error.name().toLowerCase(Locale.ROOT));
        }
    }

    private void counter(MeterRegistry registry, String name, String description, ToDoubleFunction<SmuxTotals> value, String... own) {
        bound.add(new Bound(registry, FunctionCounter.builder(name, totals, value).description(description)
            .tags(Tags.concat(tags, own)).register(registry)));
    }

    /** Removes the meters from all registries to which they were added. */
    @Override
    public void close() {
        bound.forEach(each -> each.registry.remove(each.meter));
        bound.clear();
    }
}

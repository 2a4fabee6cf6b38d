package io.kcp.netty.metrics;

import io.kcp.netty.KcpServerChannel;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.netty.util.concurrent.FastThreadLocalThread;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Shows what a server does as meters of Micrometer: sessions, bytes, segments, retransmissions, round trips, drops by reason,
 * parity, and how late the event loops are. Every tag has few values; what single sessions do is told by
 * {@link KcpServerChannel#forEachSession}.
 *
 * <p>Nothing is done until a meter is read. Then the figures are collected on the event loops, at most once a second, and the
 * reader waits for them for at most a quarter of a second: after that, and on threads of Netty, which must not wait, the meters
 * show what was collected last, and {@code kcp.stats.age} how long ago that was.
 *
 * <p>May be used by any thread.
 */
public final class KcpMeterBinder implements MeterBinder, AutoCloseable {

    private record Bound(MeterRegistry registry, List<Meter> meters) { }

    private final StatsSnapshot snapshot;
    private final List<Tag> tags;
    private final List<Bound> bound = new CopyOnWriteArrayList<>();

    /**
     * Creates a binder, which is not bound yet.
     *
     * @param server the server to show
     * @param tags   of all its meters; with several servers a name for each, which keeps their meters apart
     */
    public KcpMeterBinder(KcpServerChannel server, Iterable<Tag> tags) {
        Objects.requireNonNull(server, "server");
        this.tags = Tags.of(tags).stream().toList();
        snapshot = new StatsSnapshot(server::collectStats, () -> mayWait(server), System::nanoTime);
    }

    private static boolean mayWait(KcpServerChannel server) {
        return !(Thread.currentThread() instanceof FastThreadLocalThread thread && !thread.permitBlockingCalls())
            && server.datagramChannels().stream().noneMatch(socket -> socket.eventLoop().inEventLoop());
    }

    /**
     * Adds the meters to a registry. They keep the figures alive, so the binder itself need not be kept, but for
     * {@link #close}.
     *
     * @param registry where to add them
     */
    @Override
    public void bindTo(MeterRegistry registry) {
        bound.add(new Bound(registry, new ServerMeters(registry, snapshot, tags).register()));
    }

    /** Removes the meters from wherever they were added. */
    @Override
    public void close() {
        for (Bound each : bound) {
            each.meters.forEach(each.registry::remove);
        }
        bound.clear();
    }
}

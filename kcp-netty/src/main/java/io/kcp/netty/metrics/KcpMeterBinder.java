package io.kcp.netty.metrics;

import io.kcp.netty.KcpListenerStats;
import io.kcp.netty.KcpServerChannel;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.netty.util.concurrent.FastThreadLocalThread;
import io.netty.util.concurrent.Future;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;

/**
 * Binds the statistics of a server to Micrometer meters: sessions, bytes, segments, retransmissions, round-trip times, dropped datagrams
 * by reason, FEC parity, event-loop lag, full receive buffers, and the share of each socket in the sessions and datagrams. All tags have
 * few values. The statistics of single sessions are available from {@link KcpServerChannel#forEachSession}.
 *
 * <p>When a meter is read, the statistics are collected on the event loops, at most once a second. The reading thread waits for the result
 * for at most a quarter of a second. After that time, and on Netty's threads, which must not block, the meters report the most recently
 * collected statistics; the meter {@code kcp.stats.age} reports their age.
 *
 * <p>This class is thread-safe.
 */
public final class KcpMeterBinder implements MeterBinder, AutoCloseable {

    private record Bound(MeterRegistry registry, List<Meter> meters) { }

    private final StatsSnapshot snapshot;
    private final List<Tag> tags;
    private final int sockets;
    private final List<Bound> bound = new CopyOnWriteArrayList<>();

    /**
     * Creates a binder that is not bound to a registry yet.
     *
     * @param server the server whose statistics the meters report
     * @param tags   the tags of all meters; with several servers, include a name that distinguishes their meters
     */
    public KcpMeterBinder(KcpServerChannel server, Iterable<Tag> tags) {
        Objects.requireNonNull(server, "server");
        this.tags = Tags.of(tags).stream().toList();
        sockets = server.datagramChannels().size();
        snapshot = new StatsSnapshot(server::collectStats, () -> mayWait(server), System::nanoTime);
    }

    /**
     * Creates a binder for the statistics of other sessions, such as those of a client or of several servers. It has no meters of single
     * sockets.
     *
     * @param source starts a collection of the statistics; called by the threads that read meters
     * @param tags   the tags of all meters
     */
    public KcpMeterBinder(Supplier<? extends Future<KcpListenerStats>> source, Iterable<Tag> tags) {
        Objects.requireNonNull(source, "source");
        this.tags = Tags.of(tags).stream().toList();
        sockets = 0;
        snapshot = new StatsSnapshot(source, KcpMeterBinder::mayBlock, System::nanoTime);
    }

    private static boolean mayWait(KcpServerChannel server) {
        return mayBlock() && server.datagramChannels().stream().noneMatch(socket -> socket.eventLoop().inEventLoop());
    }

    private static boolean mayBlock() {
        return !(Thread.currentThread() instanceof FastThreadLocalThread thread && !thread.permitBlockingCalls());
    }

    /**
     * Adds the meters to a registry. The registry keeps the statistics reachable, so a reference to the binder is needed only for
     * {@link #close}.
     *
     * @param registry the registry to which the meters are added
     */
    @Override
    public void bindTo(MeterRegistry registry) {
        bound.add(new Bound(registry, new ServerMeters(registry, snapshot, tags, sockets).register()));
    }

    /** Removes the meters from all registries to which they were added. */
    @Override
    public void close() {
        for (Bound each : bound) {
            each.meters.forEach(each.registry::remove);
        }
        bound.clear();
    }
}

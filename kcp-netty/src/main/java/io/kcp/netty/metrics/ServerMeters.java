package io.kcp.netty.metrics;

import io.kcp.core.KcpStats;
import io.kcp.core.fec.FecStats;
import io.kcp.netty.DropReason;
import io.kcp.netty.KcpCloseReason;
import io.kcp.netty.KcpListenerStats;
import io.kcp.netty.KcpOpenSessions;
import io.kcp.netty.KcpSocketStats;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** Registers the meters of one server in one registry. The {@code metrics.md} page lists all meters. */
final class ServerMeters {

    private static final String BYTES = "bytes";
    private static final String REASON = "reason";

    /** Statistics of a socket before the first collection. */
    private static final KcpSocketStats NO_SOCKET = new KcpSocketStats(0, 0, 0, 0, 0, 0);

    private final MeterRegistry registry;
    private final StatsSnapshot snapshot;
    private final Iterable<Tag> common;
    private final int sockets;
    private final List<Meter> meters = new ArrayList<>();

    /**
     * Creates the meters without registering them.
     *
     * @param sockets the number of sockets that have meters of their own
     */
    ServerMeters(MeterRegistry registry, StatsSnapshot snapshot, Iterable<Tag> common, int sockets) {
        this.sockets = sockets;
        this.registry = registry;
        this.snapshot = snapshot;
        this.common = common;
    }

    /** Registers all meters and returns them. */
    List<Meter> register() {
        sessions();
        roundTrips();
        segments();
        datagrams();
        parity();
        eventLoopsAndSockets();
        for (int i = 0; i < sockets; i++) {
            socket(i);
        }
        return meters;
    }

    private void sessions() {
        gauge("kcp.sessions.active", "Sessions open now", null, KcpListenerStats::activeSessions);
        gauge("kcp.sessions.max", "Maximum number of sessions open at the same time", null, KcpListenerStats::maxSessions);
        counter("kcp.sessions.opened", "Sessions opened", null, KcpListenerStats::openedSessions);
        String closed = "Sessions closed";
        counter("kcp.sessions.closed", closed, null, KcpListenerStats::closedByApplication, REASON, "application");
        for (KcpCloseReason reason : KcpCloseReason.values()) {
            counter("kcp.sessions.closed", closed, null, stats -> stats.closed().getOrDefault(reason, 0L), REASON, tagOf(reason));
        }
        gauge("kcp.send.buffer", "Bytes accepted and not acknowledged", BYTES, stats -> stats.open().unacknowledgedBytes());
        gauge("kcp.send.segments", "Segments queued or in flight", null, stats -> stats.open().waitingSegments());
    }

    private void roundTrips() {
        time("kcp.rtt.mean", "Mean of the smoothed round-trip times of the open sessions", stats -> stats.open().meanRttMs());
        time("kcp.rtt.max", "Longest smoothed round-trip time of an open session", stats -> stats.open().maxRttMs());
        for (int i = 0; i <= KcpOpenSessions.RTT_BOUNDS_MS.size(); i++) {
            int index = i;
            String upTo = i == KcpOpenSessions.RTT_BOUNDS_MS.size() ? "more" : KcpOpenSessions.RTT_BOUNDS_MS.get(i) + "ms";
            gauge("kcp.rtt.sessions", "Open sessions by their smoothed round-trip time", null, stats -> stats.open().byRtt().get(index),
                "up_to", upTo);
        }
    }

    private void segments() {
        session("kcp.segments.sent", "Segments sent, including acknowledgements and probes", null, KcpStats::segmentsOut);
        session("kcp.segments.received", "Segments received, including acknowledgements and probes", null, KcpStats::segmentsIn);
        String retransmitted = "Segments retransmitted";
        session("kcp.segments.retransmitted", retransmitted, null, KcpStats::timeoutRetransmissions, "cause", "timeout");
        session("kcp.segments.retransmitted", retransmitted, null, KcpStats::fastRetransmissions, "cause", "fast");
        session("kcp.segments.retransmitted", retransmitted, null, KcpStats::earlyRetransmissions, "cause", "early");
        session("kcp.segments.spurious", "Segments retransmitted although an earlier copy had arrived", null,
            KcpStats::spuriousRetransmissions);
        session("kcp.segments.redundant", "Copies of unacknowledged segments sent in datagrams with free room", null,
            KcpStats::redundantSegments);
        session("kcp.segments.repeated", "Duplicate payload segments received, or segments outside the window", null,
            KcpStats::repeatedSegments);
        session("kcp.segments.refused", "Invalid payload segments received", null, KcpStats::refusedSegments);
        session("kcp.acknowledgements.unverified", "Forged or corrupt acknowledgements received and ignored", null,
            KcpStats::unverifiedAcknowledgements);
        session("kcp.mtu.reductions", "Sessions whose MTU was reduced because large datagrams were lost", null, KcpStats::mtuReductions);
        session("kcp.mtu.increases", "Increases of the MTU because the path has delivered a larger probe", null, KcpStats::mtuIncreases);
        session("kcp.mtu.probes", "Probes sent for a larger MTU", null, KcpStats::mtuProbes);
    }

    private void datagrams() {
        String datagrams = "Datagrams of sessions, excluding FEC parity";
        session("kcp.datagrams", datagrams, null, KcpStats::datagramsIn, "direction", "in");
        session("kcp.datagrams", datagrams, null, KcpStats::datagramsOut, "direction", "out");
        for (DropReason reason : DropReason.values()) {
            counter("kcp.datagrams.dropped", "Datagrams received and dropped", null, stats -> stats.dropped().getOrDefault(reason, 0L),
                REASON, tagOf(reason));
        }
        String bytes = "Bytes of sessions";
        session("kcp.bytes", bytes, BYTES, KcpStats::bytesReceived, "direction", "in", "layer", "application");
        session("kcp.bytes", bytes, BYTES, KcpStats::bytesSent, "direction", "out", "layer", "application");
        session("kcp.bytes", bytes, BYTES, KcpStats::wireBytesIn, "direction", "in", "layer", "kcp");
        session("kcp.bytes", bytes, BYTES, KcpStats::wireBytesOut, "direction", "out", "layer", "kcp");
    }

    private void parity() {
        parity("kcp.fec.shards", "FEC shards received", FecStats::dataShards, "kind", "data");
        parity("kcp.fec.shards", "FEC shards received", FecStats::parityShards, "kind", "parity");
        parity("kcp.fec.recovered", "Lost datagrams recovered from FEC parity", FecStats::recoveredShards);
        parity("kcp.fec.failed", "FEC recoveries whose result was not a datagram of the session", FecStats::failedReconstructions);
        String discarded = "FEC shards received and discarded";
        parity("kcp.fec.discarded", discarded, FecStats::malformedShards, REASON, "malformed");
        parity("kcp.fec.discarded", discarded, FecStats::misplacedShards, REASON, "misplaced");
        parity("kcp.fec.discarded", discarded, FecStats::farShards, REASON, "far");
        parity("kcp.fec.discarded", discarded, FecStats::duplicateShards, REASON, "duplicate");
        parity("kcp.fec.discarded", discarded, FecStats::lateShards, REASON, "late");
    }

    private void eventLoopsAndSockets() {
        time("kcp.eventloop.lag", "Longest delay of event-loop timers in the last one to two minutes",
            KcpListenerStats::maxTimerDelayMs);
        time("kcp.handling.delay", "Longest time for which a session waited for calls of its handlers in the last one to two minutes",
            KcpListenerStats::maxHandlingDelayMs);
        counter("kcp.socket.errors", "Socket errors that did not close the socket", null, KcpListenerStats::socketErrors);
        counter("kcp.socket.runs", "Sends of several datagrams with one system call (GSO)", null, KcpListenerStats::sentRuns);
        counter("kcp.socket.runs.refused", "GSO sends that the kernel refused", null, KcpListenerStats::refusedRuns);
        counter("kcp.socket.receive.drops", "Datagrams that the kernel discarded because the receive buffer was full", null,
            KcpListenerStats::receiveDrops);
        gauge("kcp.socket.receive.queue", "Memory of the datagrams in the receive buffers that have not been read yet", BYTES,
            stats -> stats.sockets().stream().mapToLong(KcpSocketStats::receiveQueueBytes).sum());
        counter("kcp.replay.short", "Number of times the replay filter was full before ten minutes had passed", null,
            KcpListenerStats::shortReplayWindows);
        meters.add(TimeGauge.builder("kcp.stats.age", snapshot, TimeUnit.SECONDS, StatsSnapshot::ageSeconds)
            .description("Age of the statistics of all meters").tags(common).strongReference(true).register(registry));
    }

    private void socket(int index) {
        String[] tag = {"socket", Integer.toString(index)};
        gauge("kcp.socket.sessions", "Sessions of one socket open now", null, stats -> socket(stats, index).activeSessions(), tag);
        String datagrams = "Datagrams of the sessions of one socket, excluding FEC parity";
        counter("kcp.socket.datagrams", datagrams, null, stats -> socket(stats, index).datagramsIn(), "direction", "in", "socket", tag[1]);
        counter("kcp.socket.datagrams", datagrams, null, stats -> socket(stats, index).datagramsOut(), "direction", "out", "socket",
            tag[1]);
    }

    private static KcpSocketStats socket(KcpListenerStats stats, int index) {
        return index < stats.sockets().size() ? stats.sockets().get(index) : NO_SOCKET;
    }

    private static String tagOf(Enum<?> reason) {
        return reason.name().toLowerCase(Locale.ROOT);
    }

    private void session(String name, String description, @Nullable String unit, ToLongFunction<KcpStats> value, String... tags) {
        counter(name, description, unit, stats -> value.applyAsLong(stats.sessions()), tags);
    }

    private void parity(String name, String description, ToLongFunction<FecStats> value, String... tags) {
        counter(name, description, null, stats -> value.applyAsLong(stats.fec()), tags);
    }

    private void counter(String name, String description, @Nullable String unit, ToLongFunction<KcpListenerStats> value,
        String... tags) {
        meters.add(FunctionCounter.builder(name, snapshot, source -> value.applyAsLong(source.get())).description(description)
            .baseUnit(unit).tags(Tags.concat(common, tags)).register(registry));
    }

    private void gauge(String name, String description, @Nullable String unit, ToLongFunction<KcpListenerStats> value, String... tags) {
        meters.add(Gauge.builder(name, snapshot, source -> value.applyAsLong(source.get())).description(description)
            .baseUnit(unit).tags(Tags.concat(common, tags)).strongReference(true).register(registry));
    }

    private void time(String name, String description, ToDoubleFunction<KcpListenerStats> milliseconds) {
        meters.add(TimeGauge.builder(name, snapshot, TimeUnit.MILLISECONDS, source -> milliseconds.applyAsDouble(source.get()))
            .description(description).tags(common).strongReference(true).register(registry));
    }
}

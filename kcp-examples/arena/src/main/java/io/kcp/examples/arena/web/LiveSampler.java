package io.kcp.examples.arena.web;

import io.kcp.core.KcpStats;
import io.kcp.examples.arena.server.ArenaFigures;
import io.kcp.examples.arena.server.Gateway;
import io.kcp.examples.arena.server.Room;
import io.kcp.examples.arena.server.SessionFigures;
import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpListenerStats;
import io.kcp.netty.KcpServerChannel;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Makes a {@link LiveSample} of two readings and the time between. Used by one thread, but for what says otherwise. */
final class LiveSampler {

    private static final int TOP_SESSIONS = 12;
    private static final List<ToDoubleFunction<SessionLine>> ORDERS =
        List.of(SessionLine::rttMs, SessionLine::lossPercent, SessionLine::retransmissions);
    private static final int MAX_ROOMS = 60;
    private static final double PERCENT = 100;

    private final Gateway gateway;
    private Map<KcpChannel, SessionReading> sessionsBefore = Map.of();
    private KcpListenerStats listenerBefore = KcpListenerStats.ZERO;
    private ArenaFigures figuresBefore;
    private long beforeNanos;
    private volatile Map<String, SessionMoment> moments = Map.of();

    LiveSampler(Gateway gateway) {
        this.gateway = gateway;
        figuresBefore = gateway.figures();
    }

    /** Reads everything, and waits for it; not for an event loop. */
    LiveSample sample(KcpServerChannel server) {
        Queue<SessionReading> visited = new ConcurrentLinkedQueue<>();
        server.forEachSession(view -> {
            SessionFigures player = gateway.sessionFigures(view.channel());
            if (player != null) {
                visited.add(new SessionReading(view.channel(), view.ageMs(), view.stats(), player));
            }
        }).syncUninterruptibly();
        KcpListenerStats listener = server.collectStats().syncUninterruptibly().getNow();
        ArenaFigures figures = gateway.figures();
        long nowNanos = System.nanoTime();
        double seconds = beforeNanos == 0 ? 1 : Math.max(1e-3, (nowNanos - beforeNanos) / 1e9);
        Map<KcpChannel, SessionReading> sessions = new HashMap<>();
        visited.forEach(reading -> sessions.put(reading.channel(), reading));
        long timeMs = System.currentTimeMillis();
        List<SessionLine> lines = sessions.values().stream().map(reading -> line(reading, seconds)).toList();
        LiveSample sample = sample(timeMs, sessions, listener, figures, top(lines), seconds);
        moments = lines.stream()
            .collect(Collectors.toMap(SessionLine::player, line -> new SessionMoment(timeMs, line), (one, other) -> other));
        sessionsBefore = sessions;
        listenerBefore = listener;
        figuresBefore = figures;
        beforeNanos = nowNanos;
        return sample;
    }

    /** Returns how a player's session stood when the last sample was taken, null if there was none; any thread. */
    @Nullable SessionMoment moment(String player) {
        return moments.get(player);
    }

    private LiveSample sample(long timeMs, Map<KcpChannel, SessionReading> sessions, KcpListenerStats listener, ArenaFigures figures,
                              List<SessionLine> top, double seconds) {
        int[] rtts = sessions.values().stream().mapToInt(reading -> reading.stats().smoothedRttMs()).sorted().toArray();
        KcpStats now = listener.sessions();
        KcpStats before = listenerBefore.sessions();
        double needed = now.retransmissions() - now.spuriousRetransmissions() - before.retransmissions() + before.spuriousRetransmissions();
        return new LiveSample(timeMs, gateway.name(), (int) listener.activeSessions(), figures.players(),
            percentile(rtts, 50), percentile(rtts, 99), percentile(rtts, 100), snapshotLoss(sessions),
            share(needed, now.segmentsOut() - before.segmentsOut()),
            rate(now.retransmissions() - before.retransmissions(), seconds),
            rate(listener.fec().recoveredShards() - listenerBefore.fec().recoveredShards(), seconds),
            rate(figures.heard() - figuresBefore.heard(), seconds), rate(figures.said() - figuresBefore.said(), seconds),
            rate(figures.snapshotsSent() - figuresBefore.snapshotsSent(), seconds),
            rate(figures.inputs() - figuresBefore.inputs(), seconds),
            rate(now.wireBytesOut() - before.wireBytesOut() + figures.outOfBandBytesOut() - figuresBefore.outOfBandBytesOut(), seconds),
            rate(now.wireBytesIn() - before.wireBytesIn() + figures.outOfBandBytesIn() - figuresBefore.outOfBandBytesIn(), seconds),
            rooms(), top);
    }

    private double snapshotLoss(Map<KcpChannel, SessionReading> sessions) {
        long sent = 0;
        long lost = 0;
        for (SessionReading reading : sessions.values()) {
            SessionReading before = sessionsBefore.get(reading.channel());
            if (before != null) {
                sent += sent(reading.player(), before.player());
                lost += lost(reading.player(), before.player());
            }
        }
        return share(lost, sent);
    }

    private static int sent(SessionFigures now, SessionFigures before) {
        return now.snapshotsToSee() - before.snapshotsToSee();
    }

    /**
     * Less than none if some came late that had counted as lost. How many came is what the player says, which so never counts for more
     * than what it was sent.
     */
    static int lost(SessionFigures now, SessionFigures before) {
        int sent = sent(now, before);
        return Math.max(-sent, sent - (now.snapshotsSeen() - before.snapshotsSeen()));
    }

    /** The first ones in each of the orders that the page has, each once. */
    static List<SessionLine> top(List<SessionLine> lines) {
        Set<SessionLine> top = new LinkedHashSet<>();
        for (ToDoubleFunction<SessionLine> figure : ORDERS) {
            lines.stream().sorted(Comparator.comparingDouble(figure).reversed().thenComparing(SessionLine::player)).limit(TOP_SESSIONS)
                .forEach(top::add);
        }
        return List.copyOf(top);
    }

    private SessionLine line(SessionReading reading, double seconds) {
        SessionReading known = sessionsBefore.get(reading.channel());
        KcpStats now = reading.stats().counters();
        KcpStats before = known != null ? known.stats().counters() : KcpStats.ZERO;
        SessionFigures player = reading.player();
        SessionFigures playerBefore = known != null ? known.player() : new SessionFigures(player.name(), player.room(), 0, 0);
        long bytes = now.wireBytesIn() - before.wireBytesIn() + now.wireBytesOut() - before.wireBytesOut();
        return new SessionLine(player.name(), player.room(), reading.stats().smoothedRttMs(), now.retransmissions(),
            share(lost(player, playerBefore), sent(player, playerBefore)), Math.round(bytes / seconds),
            reading.stats().waitingSegments(), reading.ageMs() / 1000);
    }

    private List<RoomLine> rooms() {
        List<RoomLine> lines = new ArrayList<>();
        for (Room room : gateway.rooms()) {
            if (lines.size() < MAX_ROOMS) {
                lines.add(new RoomLine(room.name(), room.size(), room.leads()));
            }
        }
        return lines;
    }

    private static double rate(long count, double seconds) {
        return Math.round(Math.max(0, count) / seconds * 10) / 10.0;
    }

    private static double share(double part, double whole) {
        return whole <= 0 ? 0 : Math.round(Math.max(0, Math.min(1, part / whole)) * PERCENT * 100) / 100.0;
    }

    /** Of sorted numbers. */
    static int percentile(int[] sorted, int percent) {
        return sorted.length == 0 ? 0 : sorted[Math.max(0, (int) Math.ceil(sorted.length * percent / PERCENT) - 1)];
    }
}

package io.kcp.examples.arena.web;

import io.kcp.core.KcpStats;
import io.kcp.examples.arena.room.ArenaCounters;
import io.kcp.examples.arena.room.Player;
import io.kcp.examples.arena.room.Room;
import io.kcp.examples.arena.room.Rooms;
import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpListenerStats;
import io.kcp.netty.KcpSessionStats;
import io.kcp.spring.KcpServer;
import io.kcp.spring.KcpServers;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.ToDoubleFunction;

/** Computes samples from the statistics of servers and rooms. A sampler is used by one thread, which waits for the event loops. */
final class LiveSampler {

    private static final int TOP_SESSIONS = 12;
    private static final List<ToDoubleFunction<Session>> ORDERS =
        List.of(Session::rttMs, Session::lossPercent, Session::retransmissions);
    private static final double PERCENT = 100;

    /**
     * State of the gateway at one moment, shown as one point in each chart. Rates refer to the time since the previous sample.
     *
     * @param timeMs                   time in milliseconds since 1970
     * @param gateway                  name of the gateway
     * @param sessions                 open sessions
     * @param players                  players in rooms
     * @param rooms                    open rooms
     * @param rttP50Ms                 median of the smoothed round-trip times of the sessions
     * @param rttP99Ms                 99th percentile of the smoothed round-trip times of the sessions
     * @param snapshotLossPercent      snapshots that did not reach their player
     * @param segmentLossPercent       segments retransmitted, without the spurious retransmissions
     * @param retransmissionsPerSecond retransmitted segments
     * @param recoveredPerSecond       datagrams from players recovered by FEC
     * @param messagesPerSecond        messages sent to players
     * @param saidPerSecond            messages received from players
     * @param snapshotsPerSecond       snapshots sent
     * @param bytesOutPerSecond        bytes of KCP datagrams and snapshots sent, without FEC and cipher overhead
     * @param bytesInPerSecond         bytes of KCP datagrams and inputs received, without FEC and cipher overhead
     * @param top                      the sessions with the longest round trips, the highest loss and the most retransmissions
     */
    record Sample(long timeMs, String gateway, long sessions, int players, int rooms, int rttP50Ms, int rttP99Ms,
                  double snapshotLossPercent, double segmentLossPercent, double retransmissionsPerSecond, double recoveredPerSecond,
                  double messagesPerSecond, double saidPerSecond, double snapshotsPerSecond, double bytesOutPerSecond,
                  double bytesInPerSecond, List<Session> top) {
    }

    /**
     * Statistics of one session, shown as one row of the session table.
     *
     * @param player          name of the player
     * @param room            its room
     * @param rttMs           smoothed round-trip time
     * @param retransmissions retransmitted segments since the session opened
     * @param lossPercent     lost snapshots since the previous sample
     * @param bytesPerSecond  bytes in both directions
     * @param waiting         segments queued or in flight
     * @param ageSeconds      age of the session
     */
    record Session(String player, String room, int rttMs, long retransmissions, double lossPercent, long bytesPerSecond, int waiting,
                   long ageSeconds) {
    }

    /** Statistics of one session when a sample is taken. */
    record Reading(String player, String room, long ageMs, KcpSessionStats stats, int snapshotsSent, int snapshotsSeen) {
    }

    private final String gateway;
    private final KcpServers servers;
    private final ArenaCounters counters;
    private final Rooms rooms;
    private Map<KcpChannel, Reading> readingsBefore = Map.of();
    private KcpListenerStats statsBefore = KcpListenerStats.ZERO;
    private ArenaCounters.Values valuesBefore;
    private long beforeNanos = System.nanoTime();

    LiveSampler(String gateway, KcpServers servers, ArenaCounters counters, Rooms rooms) {
        this.gateway = gateway;
        this.servers = servers;
        this.counters = counters;
        this.rooms = rooms;
        valuesBefore = counters.values();
    }

    Sample sample() {
        Map<KcpChannel, Reading> readings = new ConcurrentHashMap<>();
        KcpListenerStats stats = KcpListenerStats.ZERO;
        for (KcpServer server : servers) {
            server.channel().forEachSession(view -> {
                Player player = Player.of(view.channel());
                if (player != null) {
                    readings.put(view.channel(), new Reading(player.name(), player.roomName(), view.ageMs(), view.stats(),
                        player.snapshotsSent(), player.snapshotsSeen()));
                }
            }).syncUninterruptibly();
            stats = stats.plus(server.channel().collectStats().syncUninterruptibly().getNow());
        }
        ArenaCounters.Values values = counters.values();
        long nowNanos = System.nanoTime();
        double seconds = Math.max(1e-3, (nowNanos - beforeNanos) / 1e9);
        Sample sample = sample(readings, stats, values, seconds);
        readingsBefore = readings;
        statsBefore = stats;
        valuesBefore = values;
        beforeNanos = nowNanos;
        return sample;
    }

    private Sample sample(Map<KcpChannel, Reading> readings, KcpListenerStats stats, ArenaCounters.Values values, double seconds) {
        KcpStats now = stats.sessions();
        KcpStats before = statsBefore.sessions();
        int[] rtts = readings.values().stream().mapToInt(reading -> reading.stats.smoothedRttMs()).sorted().toArray();
        double retransmitted =
            now.retransmissions() - now.spuriousRetransmissions() - before.retransmissions() + before.spuriousRetransmissions();
        long sent = 0;
        long lost = 0;
        for (Map.Entry<KcpChannel, Reading> entry : readings.entrySet()) {
            Reading known = readingsBefore.get(entry.getKey());
            if (known != null) {
                sent += entry.getValue().snapshotsSent - known.snapshotsSent;
                lost += lost(entry.getValue(), known);
            }
        }
        List<Room> open = rooms.list();
        return new Sample(System.currentTimeMillis(), gateway, stats.activeSessions(), open.stream().mapToInt(Room::size).sum(),
            open.size(), percentile(rtts, 50), percentile(rtts, 99), share(lost, sent),
            share(retransmitted, now.segmentsOut() - before.segmentsOut()),
            rate(now.retransmissions() - before.retransmissions(), seconds),
            rate(stats.fec().recoveredShards() - statsBefore.fec().recoveredShards(), seconds),
            rate(values.heard() - valuesBefore.heard(), seconds), rate(values.said() - valuesBefore.said(), seconds),
            rate(values.snapshotsSent() - valuesBefore.snapshotsSent(), seconds),
            rate(now.wireBytesOut() - before.wireBytesOut() + values.outOfBandBytesOut() - valuesBefore.outOfBandBytesOut(), seconds),
            rate(now.wireBytesIn() - before.wireBytesIn() + values.outOfBandBytesIn() - valuesBefore.outOfBandBytesIn(), seconds),
            top(readings.entrySet().stream().map(entry -> session(entry.getKey(), entry.getValue(), seconds)).toList()));
    }

    /**
     * Returns the number of snapshots that were lost between two readings. The number is negative if snapshots that counted as lost
     * arrived late. Players report the number of received snapshots.
     */
    static int lost(Reading now, Reading before) {
        int sent = now.snapshotsSent - before.snapshotsSent;
        return Math.max(-sent, sent - (now.snapshotsSeen - before.snapshotsSeen));
    }

    private Session session(KcpChannel channel, Reading now, double seconds) {
        Reading before = readingsBefore.get(channel);
        long bytes = bytes(now.stats) - (before == null ? 0 : bytes(before.stats));
        double loss = before == null ? 0 : share(lost(now, before), now.snapshotsSent - before.snapshotsSent);
        return new Session(now.player, now.room, now.stats.smoothedRttMs(), now.stats.counters().retransmissions(), loss,
            Math.round(bytes / seconds), now.stats.waitingSegments(), now.ageMs / 1000);
    }

    private static long bytes(KcpSessionStats stats) {
        return stats.counters().wireBytesIn() + stats.counters().wireBytesOut();
    }

    /** Returns the sessions with the longest round-trip times, those with the highest loss, and those with the most retransmissions. */
    static List<Session> top(List<Session> sessions) {
        Set<Session> top = new LinkedHashSet<>();
        for (ToDoubleFunction<Session> value : ORDERS) {
            sessions.stream().sorted(Comparator.comparingDouble(value).reversed().thenComparing(Session::player))
                .limit(TOP_SESSIONS).forEach(top::add);
        }
        return List.copyOf(top);
    }

    private static double rate(long count, double seconds) {
        return Math.round(Math.max(0, count) / seconds * 10) / 10.0;
    }

    private static double share(double part, double whole) {
        return whole <= 0 ? 0 : Math.round(Math.max(0, Math.min(1, part / whole)) * PERCENT * 100) / 100.0;
    }

    static int percentile(int[] sorted, int percent) {
        return sorted.length == 0 ? 0 : sorted[Math.max(0, (int) Math.ceil(sorted.length * percent / PERCENT) - 1)];
    }
}

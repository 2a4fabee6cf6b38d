package io.kcp.netty;

import io.kcp.core.KcpStats;
import io.kcp.core.fec.FecStats;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;

/**
 * What one datagram channel, or all of a server, did so far.
 *
 * @param activeSessions sessions open now (CurrEstab)
 * @param openedSessions sessions opened so far (ActiveOpens or PassiveOpens)
 * @param maxSessions    most sessions open at once (MaxConn)
 * @param dropped        datagrams dropped, by reason; reasons that never occurred are absent
 * @param socketErrors   errors of the socket that were survived
 * @param sentRuns       runs of datagrams handed to the kernel as one
 * @param refusedRuns    of these, what it did not take and what was sent one by one
 * @param shortReplayWindows how often so many datagrams came that could open a session that what opened earlier ones was forgotten
 *                       before its ten minutes; the same for all datagram channels of a server
 * @param sessions       what all sessions did together, closed ones included
 * @param fec            what parity was good for, in all of them
 */
public record KcpListenerStats(
    long activeSessions,
    long openedSessions,
    long maxSessions,
    Map<DropReason, Long> dropped,
    long socketErrors,
    long sentRuns,
    long refusedRuns,
    long shortReplayWindows,
    KcpStats sessions,
    FecStats fec) {

    /** Nothing happened yet. */
    public static final KcpListenerStats ZERO = new KcpListenerStats(0, 0, 0, Map.of(), 0, 0, 0, 0, KcpStats.ZERO, FecStats.ZERO);

    /**
     * Keeps a copy of the map.
     */
    public KcpListenerStats {
        EnumMap<DropReason, Long> copy = new EnumMap<>(DropReason.class);
        copy.putAll(dropped);
        dropped = Collections.unmodifiableMap(copy);
    }

    /**
     * Adds two counts up.
     *
     * @param other what another datagram channel did
     * @return the sum of both
     */
    public KcpListenerStats plus(KcpListenerStats other) {
        EnumMap<DropReason, Long> sum = new EnumMap<>(DropReason.class);
        sum.putAll(dropped);
        other.dropped.forEach((reason, count) -> sum.merge(reason, count, Long::sum));
        return new KcpListenerStats(activeSessions + other.activeSessions, openedSessions + other.openedSessions,
            maxSessions + other.maxSessions, sum, socketErrors + other.socketErrors, sentRuns + other.sentRuns,
            refusedRuns + other.refusedRuns, Math.max(shortReplayWindows, other.shortReplayWindows),
            sessions.plus(other.sessions), fec.plus(other.fec));
    }

    KcpListenerStats withSessions(KcpStats newSessions, FecStats newFec) {
        return new KcpListenerStats(activeSessions, openedSessions, maxSessions, dropped, socketErrors, sentRuns, refusedRuns,
            shortReplayWindows, newSessions, newFec);
    }

    /**
     * Returns how many datagrams were dropped, whatever the reason.
     *
     * @return datagrams
     */
    public long droppedTotal() {
        return dropped.values().stream().mapToLong(Long::longValue).sum();
    }
}

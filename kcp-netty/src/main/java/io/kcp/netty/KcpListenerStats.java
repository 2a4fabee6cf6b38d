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
 * @param closed         sessions that ended, but for those that {@link #closedByApplication()} counts, by reason; reasons that never
 *                       occurred are absent
 * @param undelivered    sessions that ended, whatever the reason, before their peer had acknowledged all that they had accepted
 * @param dropped        datagrams dropped, by reason; reasons that never occurred are absent
 * @param socketErrors   errors of the socket that were survived
 * @param sentRuns       runs of datagrams handed to the kernel as one
 * @param refusedRuns    of these, what it did not take and what was sent one by one
 * @param shortReplayWindows how often so many datagrams came that could open a session that what opened earlier ones was forgotten
 *                       before its ten minutes; the same for all datagram channels of a server
 * @param maxTimerDelayMs how late the timers of the event loop ran at worst within the last one to two minutes, in milliseconds: what
 *                       keeps it from serving sessions in time shows here
 * @param open           how the sessions that are open now stand
 * @param sessions       what all sessions did together, closed ones included
 * @param fec            what parity was good for, in all of them
 */
public record KcpListenerStats(
    long activeSessions,
    long openedSessions,
    long maxSessions,
    Map<KcpCloseReason, Long> closed,
    long undelivered,
    Map<DropReason, Long> dropped,
    long socketErrors,
    long sentRuns,
    long refusedRuns,
    long shortReplayWindows,
    long maxTimerDelayMs,
    KcpOpenSessions open,
    KcpStats sessions,
    FecStats fec) {

    /** Nothing happened yet. */
    public static final KcpListenerStats ZERO =
        new KcpListenerStats(0, 0, 0, Map.of(), 0, Map.of(), 0, 0, 0, 0, 0, KcpOpenSessions.NONE, KcpStats.ZERO, FecStats.ZERO);

    /**
     * Keeps copies of the maps.
     */
    public KcpListenerStats {
        closed = copy(KcpCloseReason.class, closed);
        dropped = copy(DropReason.class, dropped);
    }

    /**
     * Adds two counts up.
     *
     * @param other what another datagram channel did
     * @return the sum of both
     */
    public KcpListenerStats plus(KcpListenerStats other) {
        return new KcpListenerStats(activeSessions + other.activeSessions, openedSessions + other.openedSessions,
            maxSessions + other.maxSessions, sum(KcpCloseReason.class, closed, other.closed), undelivered + other.undelivered,
            sum(DropReason.class, dropped, other.dropped), socketErrors + other.socketErrors, sentRuns + other.sentRuns,
            refusedRuns + other.refusedRuns, Math.max(shortReplayWindows, other.shortReplayWindows),
            Math.max(maxTimerDelayMs, other.maxTimerDelayMs), open.plus(other.open), sessions.plus(other.sessions),
            fec.plus(other.fec));
    }

    KcpListenerStats withSessions(KcpStats newSessions, FecStats newFec, KcpOpenSessions newOpen) {
        return new KcpListenerStats(activeSessions, openedSessions, maxSessions, closed, undelivered, dropped, socketErrors, sentRuns,
            refusedRuns, shortReplayWindows, maxTimerDelayMs, newOpen, newSessions, newFec);
    }

    private static <E extends Enum<E>> Map<E, Long> copy(Class<E> reasons, Map<E, Long> counts) {
        EnumMap<E, Long> copy = new EnumMap<>(reasons);
        copy.putAll(counts);
        return Collections.unmodifiableMap(copy);
    }

    private static <E extends Enum<E>> Map<E, Long> sum(Class<E> reasons, Map<E, Long> one, Map<E, Long> two) {
        EnumMap<E, Long> sum = new EnumMap<>(reasons);
        sum.putAll(one);
        two.forEach((reason, count) -> sum.merge(reason, count, Long::sum));
        return sum;
    }

    /**
     * Returns how many sessions their application closed, with all that it had flushed acknowledged.
     *
     * @return sessions
     */
    public long closedByApplication() {
        return openedSessions - activeSessions - closed.values().stream().mapToLong(Long::longValue).sum();
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

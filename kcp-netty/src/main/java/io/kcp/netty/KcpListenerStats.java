package io.kcp.netty;

import io.kcp.core.KcpStats;
import io.kcp.core.fec.FecStats;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Statistics of one datagram channel, or of all datagram channels of a server. Names in parentheses, such as CurrEstab, are the
 * corresponding counters of kcp-go.
 *
 * @param activeSessions sessions open now (CurrEstab)
 * @param openedSessions sessions opened so far (ActiveOpens or PassiveOpens)
 * @param maxSessions    maximum number of sessions open at the same time (MaxConn)
 * @param closed         closed sessions by reason, except those counted by {@link #closedByApplication()}; reasons that never
 *                       occurred are absent
 * @param undelivered    sessions that were closed for any reason before their peer had acknowledged all accepted data
 * @param dropped        datagrams dropped, by reason; reasons that never occurred are absent
 * @param socketErrors   socket errors that did not close the datagram channel
 * @param sentRuns GSO sends, each of which passed several datagrams to the kernel in one system call
 * @param refusedRuns GSO sends that the kernel refused, so that their datagrams were sent one by one
 * @param shortReplayWindows number of times the replay filter was full, so that it remembered datagrams for less than ten minutes; all
 *                       datagram channels of a server share one filter and report the same number
 * @param maxTimerDelayMs the longest delay of the timers of the event loop within the last one to two minutes, in milliseconds; a long
 *                        delay shows that the event loop was blocked
 * @param maxHandlingDelayMs the longest time within the last one to two minutes from the arrival of a datagram in the event loop until the
 *                        handlers of its session were called, in milliseconds; a long delay shows that the handlers of the sessions cannot
 *                        keep up; 0 if no session had to wait for a later iteration of the event loop
 * @param open the statistics of the sessions that are open now
 * @param sessions       the counters of all sessions, including closed ones
 * @param fec            the FEC counters of all sessions, including closed ones
 * @param sockets        the statistics of each socket, in the order of {@link KcpServerChannel#datagramChannels()}
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
    long maxHandlingDelayMs,
    KcpOpenSessions open,
    KcpStats sessions,
    FecStats fec,
    List<KcpSocketStats> sockets) {

    /** Statistics in which all counts are 0. */
    public static final KcpListenerStats ZERO =
        new KcpListenerStats(0, 0, 0, Map.of(), 0, Map.of(), 0, 0, 0, 0, 0, 0, KcpOpenSessions.NONE, KcpStats.ZERO, FecStats.ZERO,
            List.of());

    /** Creates statistics with immutable copies of the given collections. */
    public KcpListenerStats {
        closed = copy(KcpCloseReason.class, closed);
        dropped = copy(DropReason.class, dropped);
        sockets = List.copyOf(sockets);
    }

    /**
     * Returns the combined statistics of this and another datagram channel.
     *
     * @param other the statistics of another datagram channel
     * @return the sums of the values of both channels; {@code shortReplayWindows}, {@code maxTimerDelayMs}, {@code maxHandlingDelayMs}
     *         and the longest round-trip time are the maximum of both values instead, and {@code sockets} contains the sockets of both
     */
    public KcpListenerStats plus(KcpListenerStats other) {
        return new KcpListenerStats(activeSessions + other.activeSessions, openedSessions + other.openedSessions,
            maxSessions + other.maxSessions, sum(KcpCloseReason.class, closed, other.closed), undelivered + other.undelivered,
            sum(DropReason.class, dropped, other.dropped), socketErrors + other.socketErrors, sentRuns + other.sentRuns,
            refusedRuns + other.refusedRuns, Math.max(shortReplayWindows, other.shortReplayWindows),
            Math.max(maxTimerDelayMs, other.maxTimerDelayMs), Math.max(maxHandlingDelayMs, other.maxHandlingDelayMs),
            open.plus(other.open), sessions.plus(other.sessions),
            fec.plus(other.fec), Stream.concat(sockets.stream(), other.sockets.stream()).toList());
    }

    /**
     * Returns these statistics with other values for the sessions and the socket of one datagram channel.
     *
     * @param newSessions counters of all sessions
     * @param newFec      FEC counters of all sessions
     * @param newOpen     sums over the sessions that are open
     * @param socket      the statistics of the socket
     * @return the statistics with these values
     */
    public KcpListenerStats withSessions(KcpStats newSessions, FecStats newFec, KcpOpenSessions newOpen, KcpSocketStats socket) {
        return new KcpListenerStats(activeSessions, openedSessions, maxSessions, closed, undelivered, dropped, socketErrors, sentRuns,
            refusedRuns, shortReplayWindows, maxTimerDelayMs, maxHandlingDelayMs, newOpen, newSessions, newFec, List.of(socket));
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
     * Returns the number of sessions that the application closed and whose flushed data was acknowledged by the peer.
     *
     * @return the number of sessions
     */
    public long closedByApplication() {
        return openedSessions - activeSessions - closed.values().stream().mapToLong(Long::longValue).sum();
    }

    /**
     * Returns the number of datagrams that the kernel discarded because the receive buffer of a socket was full. Such datagrams show that
     * the event loop of the socket is overloaded or blocked, or that the buffer is too small.
     *
     * @return the number of datagrams, 0 if the kernel does not report it
     */
    public long receiveDrops() {
        return sockets.stream().mapToLong(KcpSocketStats::receiveDrops).sum();
    }

    /**
     * Returns the number of datagrams that this library dropped for any reason. Datagrams that the kernel discarded are not included.
     *
     * @return the number of datagrams
     */
    public long droppedTotal() {
        return dropped.values().stream().mapToLong(Long::longValue).sum();
    }
}

package io.kcp.netty;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Aggregated statistics of all open sessions of one or several datagram channels.
 *
 * @param unacknowledgedBytes bytes accepted and not acknowledged
 * @param waitingSegments     segments queued or in flight
 * @param measured            sessions whose smoothed round-trip time is at least one millisecond
 * @param totalRttMs          the sum of the smoothed round-trip times of the measured sessions in milliseconds
 * @param maxRttMs            the longest smoothed round-trip time in milliseconds, 0 if no session is measured
 * @param byRtt               a histogram of the smoothed round-trip times. Each of {@link #RTT_BOUNDS_MS} is the upper bound of one bucket,
 *                            and an additional bucket counts the sessions above the last bound.
 */
public record KcpOpenSessions(
    long unacknowledgedBytes,
    long waitingSegments,
    long measured,
    long totalRttMs,
    int maxRttMs,
    List<Long> byRtt) {

    /**
     * Upper bounds of the buckets of {@link #byRtt()} in milliseconds. The first bucket, with the bound 0, counts sessions below one
     * millisecond and sessions without a measurement.
     */
    public static final List<Integer> RTT_BOUNDS_MS = List.of(0, 10, 20, 50, 100, 200, 500, 1_000);

    /** Empty statistics, in which all values are 0. */
    public static final KcpOpenSessions NONE =
        new KcpOpenSessions(0, 0, 0, 0, 0, Collections.nCopies(RTT_BOUNDS_MS.size() + 1, 0L));

    /** Creates statistics with an immutable copy of the given list. */
    public KcpOpenSessions {
        if (byRtt.size() != RTT_BOUNDS_MS.size() + 1) {
            throw new IllegalArgumentException("byRtt: " + byRtt + " (expected: " + (RTT_BOUNDS_MS.size() + 1) + " counts)");
        }
        byRtt = List.copyOf(byRtt);
    }

    /**
     * Returns the combined statistics of this and another datagram channel.
     *
     * @param other the statistics of another datagram channel
     * @return the sums of the values of both channels; {@code maxRttMs} is the maximum of both values instead
     */
    public KcpOpenSessions plus(KcpOpenSessions other) {
        List<Long> sum = new ArrayList<>(byRtt);
        for (int i = 0; i < sum.size(); i++) {
            sum.set(i, sum.get(i) + other.byRtt.get(i));
        }
        return new KcpOpenSessions(unacknowledgedBytes + other.unacknowledgedBytes, waitingSegments + other.waitingSegments,
            measured + other.measured, totalRttMs + other.totalRttMs, Math.max(maxRttMs, other.maxRttMs), sum);
    }

    /**
     * Returns the mean smoothed round-trip time of all sessions that have a measurement.
     *
     * @return milliseconds, 0 if no session is measured
     */
    public double meanRttMs() {
        return measured == 0 ? 0 : (double) totalRttMs / measured;
    }
}

package io.kcp.netty;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * How the sessions that are open stand, together.
 *
 * @param unacknowledgedBytes bytes accepted and not acknowledged
 * @param waitingSegments     segments queued or in flight
 * @param measured            sessions whose smoothed round trip is a millisecond or more
 * @param totalRttMs          the sum of theirs in milliseconds
 * @param maxRttMs            the longest in milliseconds, 0 if there is none
 * @param byRtt               how many sessions have a smoothed round trip of at most each of {@link #RTT_BOUNDS_MS} and more than
 *                            the one before, then how many have a longer one
 */
public record KcpOpenSessions(
    long unacknowledgedBytes,
    long waitingSegments,
    long measured,
    long totalRttMs,
    int maxRttMs,
    List<Long> byRtt) {

    /** Upper bounds in milliseconds. The first, 0, is that of sessions below a millisecond and of those not measured yet. */
    public static final List<Integer> RTT_BOUNDS_MS = List.of(0, 10, 20, 50, 100, 200, 500, 1_000);

    /** No session is open. */
    public static final KcpOpenSessions NONE =
        new KcpOpenSessions(0, 0, 0, 0, 0, Collections.nCopies(RTT_BOUNDS_MS.size() + 1, 0L));

    /**
     * Keeps a copy of the list.
     */
    public KcpOpenSessions {
        if (byRtt.size() != RTT_BOUNDS_MS.size() + 1) {
            throw new IllegalArgumentException("byRtt: " + byRtt + " (expected: " + (RTT_BOUNDS_MS.size() + 1) + " counts)");
        }
        byRtt = List.copyOf(byRtt);
    }

    /**
     * Adds two up.
     *
     * @param other those of another datagram channel
     * @return all of them together
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
     * Returns the mean of the sessions' smoothed round trips, without those below a millisecond.
     *
     * @return milliseconds, 0 if there is none
     */
    public double meanRttMs() {
        return measured == 0 ? 0 : (double) totalRttMs / measured;
    }
}

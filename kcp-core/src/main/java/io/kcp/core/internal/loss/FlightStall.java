package io.kcp.core.internal.loss;

import io.kcp.core.internal.memory.Segment;

/**
 * Tracks a stall, during which segments time out and no segment is acknowledged. A stall has one of two causes. Either the path is
 * interrupted, so that the segments in flight are lost, or the peer or the reverse path pauses, so that the segments in flight are
 * acknowledged later.
 *
 * <p>Until an acknowledgement shows the cause, a large flight is probed with few segments (as with the tail loss probe of RFC 8985). If a
 * probe remains unacknowledged for one retransmission timeout, the segments sent before no longer count as in flight for congestion
 * control, because they would otherwise block the small window that probes an interrupted path. If a segment from before the stall is
 * acknowledged after all, the timeouts were spurious, and the timers of the other segments start again (as in F-RTO, RFC 5682).
 */
public final class FlightStall {

    /** Maximum number of segments in flight that are retransmitted without probing the path first. */
    static final int SMALL_FLIGHT = 128;
    private static final int PROBE_ROUNDS = 2;
    private static final int PROBES_PER_ROUND = 2;
    private static final int TIMEOUTS_PER_LATER_ROUND = 16;

    private boolean active;
    /**
     * {@code true} after the segments in flight were presumed lost, until the next stall begins or a segment from before the stall is
     * acknowledged.
     */
    private boolean presumed;
    private boolean undone;
    private int rounds;
    /** Order of the first transmission of the latest stall, or 0 if there was none. */
    private long startOrder;
    /** Transmissions with a lower order were delayed by a stall instead of lost. 0 if a stall has delayed none. */
    private long delayedBefore;
    private int delayedArrivalAtMs;
    /** Transmissions with a lower order no longer count as in flight for congestion control. */
    private long presumedLostBefore;
    private int presumedLostSegments;
    private long presumedLostBytes;

    boolean isActive() {
        return active;
    }

    /** Starts a stall, because a segment times out and no acknowledgement has arrived since its acknowledgement was due. */
    void begin(long nextOrder) {
        active = true;
        rounds = 0;
        presumed = false;
        startOrder = nextOrder;
    }

    /** Ends the stall, because a segment was acknowledged. */
    void end() {
        active = false;
    }

    /** Records that a round of the stall has passed without an acknowledgement, so that the path is probably interrupted. */
    void onUnacknowledgedRound(long nextOrder, int inFlight, long inFlightBytes) {
        presumed = true;
        presumeLost(nextOrder, inFlight, inFlightBytes);
    }

    /** Returns the number of segments that may time out in the next round of the stall, which lasts one retransmission timeout. */
    int nextRound(int inFlight) {
        rounds++;
        if (inFlight <= SMALL_FLIGHT) {
            return TimeoutRounds.TIMEOUTS_PER_ROUND;
        }
        return rounds <= PROBE_ROUNDS ? PROBES_PER_ROUND : TIMEOUTS_PER_LATER_ROUND;
    }

    // ---- segments that no longer count as in flight

    /** Makes congestion control no longer count the segments in flight. */
    void presumeLost(long nextOrder, int inFlight, long inFlightBytes) {
        presumedLostBefore = nextOrder;
        presumedLostSegments = inFlight;
        presumedLostBytes = inFlightBytes;
    }

    /** Returns {@code true} if the latest transmission of a segment no longer counted as in flight before the segment timed out. */
    public boolean isPresumedLost(Segment segment) {
        return segment.order < presumedLostBefore;
    }

    void onRemoved(long order, int bytes) {
        if (order < presumedLostBefore) {
            presumedLostSegments--;
            presumedLostBytes -= bytes;
        }
    }

    int presumedLostSegments() {
        return presumedLostSegments;
    }

    long presumedLostBytes() {
        return presumedLostBytes;
    }

    // ---- segments that were delayed instead of lost

    /** Records the acknowledgement of a transmission. */
    void onArrived(long order, int timeMs) {
        if (order < startOrder) {
            delayedBefore = startOrder;
            delayedArrivalAtMs = timeMs;
            if (presumed) {
                presumed = false;
                undone = true;
                presumeLost(0, 0, 0);
            }
        }
    }

    /** Returns {@code true} if a pause of the peer has delayed a segment, so that its round trip is not that of the path. */
    public boolean isDelayed(Segment segment) {
        return isDelayed(segment.order);
    }

    /** Returns {@code true} if a pause of the peer has delayed the segment whose latest transmission has this order. */
    public boolean isDelayed(long order) {
        return order < delayedBefore;
    }

    /** Returns {@code true} once after the acknowledgement of a segment has shown that the path was not interrupted. */
    public boolean takeUndo() {
        boolean taken = undone;
        undone = false;
        return taken;
    }

    /**
     * Returns the time at which the timer of a segment started, which is the time of its transmission or of the latest acknowledgement of a
     * delayed segment.
     */
    int timerStartMs(Segment segment) {
        return segment.order < delayedBefore && delayedArrivalAtMs - segment.sentAtMs > 0 ? delayedArrivalAtMs : segment.sentAtMs;
    }

    /** Forgets the stall, because the path has changed. */
    void reset() {
        active = false;
        presumed = false;
        undone = false;
        startOrder = 0;
        delayedBefore = 0;
    }
}

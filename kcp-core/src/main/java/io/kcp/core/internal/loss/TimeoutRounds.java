package io.kcp.core.internal.loss;

/**
 * Limits how many segments of a conversation time out in one round, which lasts one retransmission timeout. If the path is interrupted, all
 * segments of a large window would otherwise be retransmitted at the same moment.
 */
public final class TimeoutRounds {

    /** Maximum number of segments that may time out in one round until segments are acknowledged. */
    public static final int TIMEOUTS_PER_ROUND = 64;
    /**
     * Number of additional segments that may time out per acknowledged segment once a round has used up its permitted timeouts.
     * Retransmissions then double with each round trip, as in slow start. Acknowledgements before that point permit no additional timeouts,
     * because otherwise all segments in flight could time out at the same moment.
     */
    private static final int TIMEOUTS_PER_ACKNOWLEDGED = 2;
    private static final int MAX_TIMEOUTS = 1 << 20;

    private int left = TIMEOUTS_PER_ROUND;
    private int startMs;
    /** {@code true} if the current round has used up its permitted timeouts. */
    private boolean usedUp;
    private boolean usedUpBefore;

    /** Returns the number of timeouts still permitted in the current round. */
    int left() {
        return left;
    }

    /** Sets the number of timeouts still permitted in the current round. */
    void setLeft(int timeouts) {
        left = timeouts;
    }

    /** Begins a round if the current one has ended. Returns {@code true} if a round has begun. */
    boolean beginIfOver(int timeMs, int rtoMs) {
        int elapsedMs = timeMs - startMs;
        if (elapsedMs >= 0 && elapsedMs < rtoMs) {
            return false;
        }
        startMs = timeMs;
        usedUpBefore = usedUp;
        usedUp = false;
        left = TIMEOUTS_PER_ROUND;
        return true;
    }

    /** Lets the current round last one retransmission timeout from now, with at most the given number of further timeouts. */
    void restart(int timeMs, int maxTimeouts) {
        startMs = timeMs;
        left = Math.min(left, maxTimeouts);
    }

    /** Starts a round in which no segment times out until acknowledgements arrive. */
    void useUp(int timeMs) {
        startMs = timeMs;
        left = 0;
        usedUp = true;
    }

    /** Records that a segment has timed out. */
    void onTimeout() {
        left--;
        usedUp |= left == 0;
    }

    /** Permits additional timeouts if the current or the previous round has used up its timeouts. */
    void onAcknowledged(int segments) {
        if (usedUp || usedUpBefore) {
            left = Math.min(MAX_TIMEOUTS, left + TIMEOUTS_PER_ACKNOWLEDGED * segments);
        }
    }

    /** Returns the time at which the current round ends. */
    int endMs(int rtoMs) {
        return startMs + rtoMs;
    }
}

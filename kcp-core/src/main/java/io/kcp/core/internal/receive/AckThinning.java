package io.kcp.core.internal.receive;

/**
 * Lets the acknowledgements of a bulk transfer wait for each other, so that fewer datagrams carry them. With one datagram per segment, a
 * transfer of 20 Mbit/s needs 730 kbit/s in the other direction, and a slower reverse path would limit the transfer.
 *
 * <p>An acknowledgement is sent at once if none was sent for a sixteenth of a round trip, and in any case after {@value #MAX_SEGMENTS}
 * segments. Slow transfers and single messages are therefore not delayed. Acknowledgements that reveal a loss are not delayed either.
 *
 * <p>Other KCP implementations enlarge their congestion window once per datagram that advances {@code una}, and would become slower.
 * Acknowledgements to such peers are therefore never delayed.
 */
public final class AckThinning {

    /** Maximum delay in milliseconds. */
    static final int MAX_DELAY_MS = 4;
    private static final int ROUND_TRIP_SHIFT = 4;
    private static final int MAX_SEGMENTS = 8;
    /** Number of segments that are acknowledged at once after a gap, because the peer counts the acknowledgements beyond the gap. */
    private static final int URGENT_SEGMENTS = 3;

    private int sentAtMs;
    private int urgentLeft;
    private boolean urgent;

    /** Returns the delay for a path with this round-trip time. Short round trips are not extended. */
    public static int delayMs(int roundTripMs) {
        return Math.min(roundTripMs >> ROUND_TRIP_SHIFT, MAX_DELAY_MS);
    }

    /**
     * Records that the acknowledgement of a segment was queued.
     *
     * @param successor {@code true} if the segment is new and directly follows the newest segment before it
     */
    void onQueued(boolean successor) {
        urgentLeft = successor ? Math.max(urgentLeft - 1, 0) : URGENT_SEGMENTS;
        urgent |= urgentLeft > 0;
    }

    /** Records that all queued acknowledgements were sent. */
    public void onSent(int timeMs) {
        sentAtMs = timeMs;
        urgent = false;
    }

    /** Returns the milliseconds until queued acknowledgements must be sent, which is not positive if they are due. */
    int msUntilDue(int queued, int timeMs, int delayMs) {
        int waitMs = sentAtMs + delayMs - timeMs;
        // The clock wraps, so that the latest acknowledgement may appear to be in the future after a long idle period.
        return urgent || queued >= MAX_SEGMENTS || waitMs > delayMs ? 0 : waitMs;
    }
}

package io.kcp.core.internal.congestion;

/**
 * Limits how much data a conversation has in flight and how fast it sends. The conversation calls {@link #onAcknowledged} once per datagram
 * that contains acknowledgements, {@link #onLost} before it sends the retransmissions of a loss event, and {@link #onFlushed} at the end of
 * each flush.
 */
public interface CongestionControl {

    /** A window without limit. */
    int UNLIMITED = Integer.MAX_VALUE;

    /** Returns the maximum distance between the oldest unacknowledged segment number and the next segment number to send. */
    default int spanLimit() {
        return UNLIMITED;
    }

    /** Returns the maximum number of segments in flight. Segments that are considered lost are not in flight. */
    default int maxSegmentsInFlight() {
        return UNLIMITED;
    }

    /** Returns the maximum size of the segments in flight with their headers, in bytes. */
    default long maxBytesInFlight() {
        return Long.MAX_VALUE;
    }

    /** Returns the rate at which segments and their headers may be sent, in bytes per second, or 0 if sending is not paced. */
    default long pacingBytesPerSecond() {
        return 0;
    }

    /** Returns the maximum number of bytes that the {@link Pacer} releases at once. */
    default long burstBytes() {
        return 0;
    }

    /**
     * Processes the acknowledgements of a datagram.
     *
     * @param report the acknowledgements, valid until this method returns
     */
    void onAcknowledged(AckReport report);

    /**
     * Processes a loss event.
     *
     * @param report the losses, at least one unless the path is interrupted, valid until this method returns
     */
    void onLost(LossReport report);

    /**
     * Processes the acknowledgement of a segment that was considered lost.
     *
     * @param event    the {@linkplain LossReport#event event} that most recently reported a loss of the segment
     * @param spurious {@code true} if the acknowledgement shows that the segment was reported only once and was not lost
     */
    default void onLossResolved(int event, boolean spurious) {
    }

    /**
     * Called if a segment is acknowledged that was sent before the path appeared to be interrupted. The peer or the path had only paused,
     * so the segments in flight count as in flight again.
     */
    default void onInterruptionUndone() {
    }

    /**
     * Called at the end of each flush.
     *
     * @param report the state after the flush, valid until this method returns
     */
    default void onFlushed(FlushReport report) {
    }
}

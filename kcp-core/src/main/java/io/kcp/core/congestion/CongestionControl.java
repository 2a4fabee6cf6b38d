package io.kcp.core.congestion;

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
     * Processes the evidence that a segment had not been lost although it was considered lost.
     *
     * @param order  ordinal of the latest transmission of the segment that was considered lost
     * @param losses the number of transmissions of the segment that were considered lost
     */
    default void onSpuriousLoss(long order, int losses) {
    }

    /**
     * Called if a segment was acknowledged that had been sent before the path appeared to be interrupted. The peer or the path was only
     * paused, and the segments in flight count as in flight again.
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

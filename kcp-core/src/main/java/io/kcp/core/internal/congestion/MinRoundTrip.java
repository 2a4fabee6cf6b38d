package io.kcp.core.internal.congestion;

/**
 * Tracks the minimum round-trip time of the path. A sample that almost reaches the minimum confirms it. If no sample has confirmed the
 * minimum for ten seconds, the path may have become longer, and the congestion control drains its queue to measure it again.
 */
final class MinRoundTrip {

    static final long WINDOW_US = 10_000_000;
    private static final long TOLERANCE_US = 500;
    private static final int TOLERANCE_SHIFT = 5;
    /** Lower bound that keeps the bandwidth-delay product positive if the clock is too coarse for the round trip. */
    private static final long FLOOR_US = 50;

    private long rttUs;
    private long confirmedAtUs;
    private boolean known;

    void onSample(long sampleUs, long timeUs) {
        long boundedUs = Math.max(sampleUs, FLOOR_US);
        if (!known || boundedUs < rttUs) {
            rttUs = boundedUs;
            confirmedAtUs = timeUs;
            known = true;
        } else if (boundedUs <= rttUs + Math.max(TOLERANCE_US, rttUs >> TOLERANCE_SHIFT)) {
            confirmedAtUs = timeUs;
        }
    }

    /** Replaces the minimum with one that was measured while the queue was drained. */
    void replace(long measuredUs, long timeUs) {
        rttUs = Math.max(measuredUs, FLOOR_US);
        confirmedAtUs = timeUs;
        known = true;
    }

    /** Starts a new measuring period without a new minimum. */
    void confirm(long timeUs) {
        confirmedAtUs = timeUs;
    }

    boolean isKnown() {
        return known;
    }

    boolean isStale(long timeUs) {
        return known && timeUs - confirmedAtUs > WINDOW_US;
    }

    /** Returns the minimum in microseconds, or 0 before the first sample. */
    long us() {
        return rttUs;
    }
}

package io.kcp.core.internal.congestion;

/**
 * Counts what is acknowledged and lost in the current round trip. A round trip ends when a segment is acknowledged that was sent after the
 * round trip began.
 */
final class RoundTripCounts {

    private static final double US_PER_S = 1e6;

    private long startDelivered;
    private long startLost;
    private long startUs;
    private long maxBytesPerSecond;
    private boolean applicationLimited;
    private boolean paused;

    void start(RateSample rate, long timeUs) {
        startUs = timeUs;
        startDelivered = rate.deliveredBytes;
        startLost = rate.lostBytes;
        maxBytesPerSecond = 0;
        applicationLimited = false;
        paused = false;
    }

    boolean isEnded(RateSample rate) {
        return rate.valid && rate.priorDeliveredBytes >= startDelivered;
    }

    /** Adds a sample of the delivery rate. */
    void add(long bytesPerSecond, boolean limited) {
        applicationLimited |= limited;
        maxBytesPerSecond = Math.max(maxBytesPerSecond, bytesPerSecond);
    }

    /** Records that the conversation sent again after a pause without data in flight. */
    void onPaused() {
        paused = true;
    }

    /** Forgets a pause. */
    void clearPause() {
        paused = false;
    }

    boolean isPaused() {
        return paused;
    }

    boolean isApplicationLimited() {
        return applicationLimited;
    }

    /** Returns the highest sample of the delivery rate, or 0 if there was none. */
    long maxBytesPerSecond() {
        return maxBytesPerSecond;
    }

    long deliveredBytes(RateSample rate) {
        return rate.deliveredBytes - startDelivered;
    }

    /** Returns the number of lost segments. */
    double lost(RateSample rate, int segmentBytes) {
        return (double) Math.max(rate.lostBytes - startLost, 0) / segmentBytes;
    }

    /** Returns the number of delivered segments. */
    double delivered(RateSample rate, int segmentBytes) {
        return (double) deliveredBytes(rate) / segmentBytes;
    }

    /** Returns the mean delivery rate since the start of the round trip in bytes per second. */
    long meanBytesPerSecond(RateSample rate, long timeUs) {
        return (long) (deliveredBytes(rate) * US_PER_S / Math.max(timeUs - startUs, 1));
    }
}

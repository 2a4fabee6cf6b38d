package io.kcp.core.internal.congestion;

/**
 * Measures by how much acknowledgements exceed the estimated bandwidth for a short time, because the peer or the path delays them and
 * passes them on in bursts. The window must be larger by this amount, because otherwise sending pauses between the bursts.
 */
final class AckAggregation {

    private static final int ROUNDS = 5;
    /** Maximum time for which acknowledgements may be delayed, unless the round trip is longer. */
    private static final long MAX_DELAY_US = 150_000;

    private long epochStartUs;
    private long epochBytes;
    private boolean started;
    private long currentBytes;
    private long previousBytes;
    private int rounds;

    void onAcknowledged(long bytes, long timeUs, long bytesPerSecond, long minRttUs) {
        long expected = started ? (long) (bytesPerSecond * ((timeUs - epochStartUs) / 1e6)) : 0;
        if (!started || epochBytes <= expected) {
            started = true;
            epochStartUs = timeUs;
            epochBytes = 0;
            expected = 0;
        }
        epochBytes += bytes;
        // A longer delay is a pause of the peer, after which the window need not be larger.
        long maxBytes = (long) (bytesPerSecond * (Math.max(MAX_DELAY_US, minRttUs) / 1e6));
        currentBytes = Math.max(currentBytes, Math.min(epochBytes - expected, maxBytes));
    }

    /** Starts a new measurement, because the estimated bandwidth has changed. */
    void restart() {
        started = false;
    }

    void onRound() {
        rounds++;
        if (rounds == ROUNDS) {
            rounds = 0;
            previousBytes = currentBytes;
            currentBytes = 0;
        }
    }

    /** Returns the largest excess of the latest five to ten round trips in bytes. */
    long bytes() {
        return Math.max(currentBytes, previousBytes);
    }
}

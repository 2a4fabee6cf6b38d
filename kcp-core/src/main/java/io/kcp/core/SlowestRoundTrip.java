package io.kcp.core;

/**
 * The longest round trip of the last one to two seconds (or of four to eight round trips, if those are longer). A smoothed mean over a
 * few samples does not show the worst case of a path with jitter.
 */
final class SlowestRoundTrip {

    private static final int MIN_PERIOD_MS = 1_000;

    private int currentMs;
    private int previousMs;
    private int periodStartMs;
    private boolean started;

    void onSample(int roundTripMs, int timeMs, int smoothedRttMs) {
        int periodMs = Math.max(MIN_PERIOD_MS, 4 * smoothedRttMs);
        // Unsigned: without a sample for 25 days the difference does not fit a signed int.
        long elapsedMs = Integer.toUnsignedLong(timeMs - periodStartMs);
        if (!started || elapsedMs >= periodMs) {
            previousMs = started && elapsedMs < 2L * periodMs ? currentMs : 0;
            currentMs = 0;
            periodStartMs = timeMs;
            started = true;
        }
        // One forged or stray sample far above the others must not prevent timeouts.
        int limitMs = smoothedRttMs == 0 ? roundTripMs : 4 * smoothedRttMs;
        currentMs = Math.max(currentMs, Math.min(roundTripMs, limitMs));
    }

    /** Returns the longest round trip in milliseconds, 0 before the first sample. */
    int ms() {
        return Math.max(currentMs, previousMs);
    }
}

package io.kcp.core;

/**
 * Tracks the longest round-trip time of the last one to two seconds or of the last four to eight round trips, whichever period is longer. A
 * smoothed mean does not show the worst case of a path with jitter.
 */
final class SlowestRoundTrip {

    private static final int MIN_PERIOD_MS = 1_000;

    private int currentMs;
    private int previousMs;
    private int periodStartMs;
    private boolean started;

    void onSample(int roundTripMs, int timeMs, int smoothedRttMs) {
        int periodMs = Math.max(MIN_PERIOD_MS, 4 * smoothedRttMs);
        // The difference is treated as unsigned, because it overflows a signed int after 25 days without a sample.
        long elapsedMs = Integer.toUnsignedLong(timeMs - periodStartMs);
        if (!started || elapsedMs >= periodMs) {
            previousMs = started && elapsedMs < 2L * periodMs ? currentMs : 0;
            currentMs = 0;
            periodStartMs = timeMs;
            started = true;
        }
        // Limits each sample to four times the smoothed round-trip time, so that a single forged or stray sample cannot prevent timeouts.
        int limitMs = smoothedRttMs == 0 ? roundTripMs : 4 * smoothedRttMs;
        currentMs = Math.max(currentMs, Math.min(roundTripMs, limitMs));
    }

    void reset() {
        started = false;
        currentMs = 0;
        previousMs = 0;
    }

    /** Returns the longest round-trip time in milliseconds, or 0 before the first sample. */
    int ms() {
        return Math.max(currentMs, previousMs);
    }
}

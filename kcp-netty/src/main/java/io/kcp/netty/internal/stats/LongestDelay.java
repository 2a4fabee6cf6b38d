package io.kcp.netty.internal.stats;

/**
 * Measures the longest delay of one kind, such as the delay of timers. The measurement covers the current and the previous window, so that
 * polling it once a minute misses no delay.
 */
public final class LongestDelay {

    /** Length of a measurement window in milliseconds. */
    public static final long WINDOW_MS = 60_000;

    private long windowEndMs = Long.MIN_VALUE;
    private long maxMs;
    private long formerMaxMs;

    /** Records a delay in milliseconds. */
    public void add(long delayMs, long nowMs) {
        roll(nowMs);
        maxMs = Math.max(maxMs, delayMs);
    }

    /** Returns the longest delay of the last one to two minutes, in milliseconds. */
    public long maxMs(long nowMs) {
        roll(nowMs);
        return Math.max(maxMs, formerMaxMs);
    }

    private void roll(long nowMs) {
        if (nowMs < windowEndMs) {
            return;
        }
        formerMaxMs = nowMs - WINDOW_MS < windowEndMs ? maxMs : 0;
        maxMs = 0;
        windowEndMs = nowMs + WINDOW_MS;
    }
}

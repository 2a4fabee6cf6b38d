package io.kcp.netty.stats;

/**
 * The longest delay of the timers of an event loop. It covers the current window and the one before, so that a reader who polls once a
 * minute misses no delay, and reading changes nothing.
 */
public final class TimerDelay {

    /** The length of a window. */
    public static final long WINDOW_MS = 60_000;

    private long windowEndMs = Long.MIN_VALUE;
    private long maxMs;
    private long formerMaxMs;

    /** Adds the delay of a timer. */
    public void add(long delayMs, long nowMs) {
        roll(nowMs);
        maxMs = Math.max(maxMs, delayMs);
    }

    /** Returns the longest delay of the last one to two minutes. */
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

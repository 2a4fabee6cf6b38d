package io.kcp.netty;

/**
 * How late the timers of an event loop ran, at worst: of this window of time and of the one before, so that whoever looks once
 * a minute misses nothing, and to look changes nothing.
 */
final class TimerDelay {

    static final long WINDOW_MS = 60_000;

    private long windowEndMs = Long.MIN_VALUE;
    private long maxMs;
    private long formerMaxMs;

    /** Notes a timer. */
    void add(long delayMs, long nowMs) {
        roll(nowMs);
        maxMs = Math.max(maxMs, delayMs);
    }

    /** Returns the longest delay of the last one to two minutes. */
    long maxMs(long nowMs) {
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

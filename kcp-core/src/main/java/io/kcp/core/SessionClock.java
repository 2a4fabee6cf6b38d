package io.kcp.core;

/**
 * A conversation's own time in milliseconds: the caller's clock with backward steps removed, so that no deadline is ever
 * put off by a clock that was set back. Wraps after 49.7 days like the wire; a silence longer than a quarter of that
 * reads as a step of the clock and therefore as no time at all.
 */
final class SessionClock {

    /** What is a little earlier is a reading taken before others, at the beginning of a batch say: no step of the clock. */
    private static final int STALE_MS = 1_000;
    /** Twelve days: of a wrapping clock, more is as likely a step back. */
    private static final int LONGEST_MS = 1 << 30;

    private int callerMs;
    private int timeMs;

    SessionClock(int nowMs) {
        callerMs = nowMs;
        timeMs = nowMs;
    }

    int advance(int nowMs) {
        int elapsedMs = nowMs - callerMs;
        if (elapsedMs > 0 && elapsedMs <= LONGEST_MS) {
            timeMs += elapsedMs;
            callerMs = nowMs;
        } else if (elapsedMs < -STALE_MS || elapsedMs > LONGEST_MS) {
            callerMs = nowMs;
        }
        return timeMs;
    }

    int timeMs() {
        return timeMs;
    }
}

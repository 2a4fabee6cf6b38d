package io.kcp.core;

/**
 * The time of a conversation in milliseconds: the caller's clock without its backward steps, so that a clock that was set back delays no
 * deadline. It wraps after 49.7 days, like {@code ts}. A forward step of more than a quarter of that does not count.
 */
final class SessionClock {

    /** A reading that is at most this much earlier was taken before others, for example at the start of a batch. It is no step back. */
    private static final int STALE_MS = 1_000;
    /** Twelve days. A longer step of a wrapping clock may also be a step back. */
    private static final int LONGEST_MS = 1 << 30;

    private int callerMs;
    private int timeMs;

    SessionClock(int nowMs) {
        callerMs = nowMs;
        timeMs = nowMs;
    }

    /** Advances to the caller's clock and returns the time of the conversation. */
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

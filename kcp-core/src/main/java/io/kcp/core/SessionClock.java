package io.kcp.core;

/**
 * Derives the time of a conversation from the caller's clock and ignores backward steps, so that setting the clock back does not delay
 * deadlines. The time is in milliseconds and wraps after 49.7 days, like {@code ts}. Forward steps of more than a quarter of that period
 * are ignored as well.
 */
final class SessionClock {

    /**
     * Maximum age of a clock reading that is considered merely outdated, such as one taken at the start of a batch. An even older reading
     * shows that the clock was set back.
     */
    private static final int STALE_MS = 1_000;
    /**
     * Maximum forward step of the caller's clock, about twelve days. Because the clock wraps, a longer forward step may in fact be a
     * backward step.
     */
    private static final int LONGEST_MS = 1 << 30;

    private int callerMs;
    private int timeMs;

    SessionClock(int nowMs) {
        callerMs = nowMs;
        timeMs = nowMs;
    }

    /** Advances the time of the conversation to the caller's clock and returns it. */
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

package io.kcp.core;

/**
 * A conversation's own time in milliseconds: the caller's clock with backward steps removed, so that no deadline is ever
 * put off by a clock that was set back. Wraps after 49.7 days like the wire; a silence longer than half of that reads as
 * a backward step and therefore as no time at all.
 */
final class SessionClock {

    private int callerMs;
    private int timeMs;

    SessionClock(int nowMs) {
        callerMs = nowMs;
        timeMs = nowMs;
    }

    int advance(int nowMs) {
        int elapsedMs = nowMs - callerMs;
        callerMs = nowMs;
        if (elapsedMs > 0) {
            timeMs += elapsedMs;
        }
        return timeMs;
    }

    int timeMs() {
        return timeMs;
    }
}

package io.kcp.examples.arena.room;

import java.util.concurrent.TimeUnit;

/** Rate limit for messages of one player, with a burst of {@value #BURST_SECONDS} seconds. Not thread safe. */
final class SayLimit {

    /** A player that comes back sends all its unacknowledged messages again. */
    static final int BURST_SECONDS = 10;

    private static final long BURST_NANOS = TimeUnit.SECONDS.toNanos(BURST_SECONDS);
    private final long intervalNanos;
    /** Time at which all messages so far would have been sent at the permitted rate. */
    private long paidNanos;

    SayLimit(int messagesPerSecond, long nowNanos) {
        intervalNanos = TimeUnit.SECONDS.toNanos(1) / messagesPerSecond;
        paidNanos = nowNanos;
    }

    /** Counts a message; returns {@code false} if it exceeds the limit. */
    boolean allows(long nowNanos) {
        if (paidNanos - nowNanos < 0) {
            paidNanos = nowNanos;
        }
        if (paidNanos + intervalNanos - nowNanos > BURST_NANOS) {
            return false;
        }
        paidNanos += intervalNanos;
        return true;
    }
}

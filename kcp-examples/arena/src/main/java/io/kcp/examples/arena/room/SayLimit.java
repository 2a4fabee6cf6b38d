package io.kcp.examples.arena.room;

import java.util.concurrent.TimeUnit;

/**
 * Limits the rate of one player's chat messages, and permits bursts of up to {@value #BURST_SECONDS} seconds' worth of messages. Not thread
 * safe.
 */
final class SayLimit {

    /** Length of the permitted burst. A player that resumes after a lost session sends all its unacknowledged messages again. */
    static final int BURST_SECONDS = 10;

    private static final long BURST_NANOS = TimeUnit.SECONDS.toNanos(BURST_SECONDS);
    private final long intervalNanos;
    /** Time at which the last accepted message would be due if the player sent at exactly the permitted rate. */
    private long paidNanos;

    SayLimit(int messagesPerSecond, long nowNanos) {
        intervalNanos = TimeUnit.SECONDS.toNanos(1) / messagesPerSecond;
        paidNanos = nowNanos;
    }

    /** Returns {@code true} and counts a message if the limit permits the message, and returns {@code false} otherwise. */
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

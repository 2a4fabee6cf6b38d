package io.kcp.examples.arena.server;

import java.util.concurrent.TimeUnit;

/** How much a player may say: so many messages a second, and those of {@value #BURST_SECONDS} seconds at once. On one thread. */
final class SayLimit {

    /** Who comes back says again all that was not acknowledged. */
    static final int BURST_SECONDS = 10;

    private static final long BURST_NANOS = TimeUnit.SECONDS.toNanos(BURST_SECONDS);
    private final long intervalNanos;
    /** When all that was said so far would have been said at the rate. */
    private long paidNanos;

    SayLimit(int messagesPerSecond, long nowNanos) {
        intervalNanos = TimeUnit.SECONDS.toNanos(1) / messagesPerSecond;
        paidNanos = nowNanos;
    }

    /** Counts a message; false if it is one too many. */
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

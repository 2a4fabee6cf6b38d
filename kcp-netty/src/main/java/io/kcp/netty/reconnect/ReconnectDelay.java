package io.kcp.netty.reconnect;

import java.util.function.DoubleSupplier;

/**
 * Computes the delay before the next attempt by exponential backoff with a maximum and random jitter. The jitter prevents thousands of
 * clients from reconnecting at the same moment to a server that was unreachable.
 */
final class ReconnectDelay {

    private final long firstMs;
    private final long maxMs;
    private final double jitter;
    private final DoubleSupplier random;

    /**
     * Creates a backoff.
     *
     * @param firstMs the delay after the first failure
     * @param maxMs   the longest delay
     * @param jitter  the maximum fraction by which a delay is randomly reduced, 0 to 1
     * @param random  returns random numbers from 0 to 1
     */
    ReconnectDelay(long firstMs, long maxMs, double jitter, DoubleSupplier random) {
        this.firstMs = firstMs;
        this.maxMs = maxMs;
        this.jitter = jitter;
        this.random = random;
    }

    /** Returns the delay in milliseconds after the given number of consecutive failures, which must be at least 1. */
    long delayMs(int failures) {
        int doublings = Math.min(failures - 1, Long.numberOfLeadingZeros(firstMs) - 1);
        long fullMs = Math.min(maxMs, firstMs << doublings);
        return Math.round(fullMs * (1 - jitter * random.getAsDouble()));
    }
}

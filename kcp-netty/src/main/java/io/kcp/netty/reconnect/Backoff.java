package io.kcp.netty.reconnect;

import java.util.function.DoubleSupplier;

/**
 * How long to wait before the next attempt: twice as long after each failure, up to a limit, and less by chance, so that
 * thousands of clients of a server that was away do not come back at the same moment.
 */
final class Backoff {

    private final long firstMs;
    private final long maxMs;
    private final double jitter;
    private final DoubleSupplier random;

    /**
     * Creates one.
     *
     * @param jitter the share of the delay that is left to chance, 0 to 1
     * @param random from 0 to 1
     */
    Backoff(long firstMs, long maxMs, double jitter, DoubleSupplier random) {
        this.firstMs = firstMs;
        this.maxMs = maxMs;
        this.jitter = jitter;
        this.random = random;
    }

    /** Returns the delay after so many failures in a row, at least one. */
    long delayMs(int failures) {
        int doublings = Math.min(failures - 1, Long.numberOfLeadingZeros(firstMs) - 1);
        long fullMs = Math.min(maxMs, firstMs << doublings);
        return Math.round(fullMs * (1 - jitter * random.getAsDouble()));
    }
}

package io.kcp.netty.internal.admission;

import java.util.concurrent.TimeUnit;

/**
 * The rate and the capacity of token buckets. The state of a bucket is a single number, the time at which the bucket will be full again,
 * so that a table of buckets needs only one {@code long} per bucket. A bucket whose state is in the past is full. Instances are immutable.
 */
final class TokenBucket {

    /** State of a full bucket. */
    static final long FULL = Long.MIN_VALUE;
    /** Result of {@link #take} if the bucket is empty. */
    static final long EMPTY = Long.MAX_VALUE;

    private final long nanosPerToken;
    private final long capacityNanos;

    /**
     * Creates the parameters of a bucket.
     *
     * @param tokensPerSecond the rate at which a bucket fills
     * @param capacity        the number of tokens in a full bucket
     */
    TokenBucket(int tokensPerSecond, int capacity) {
        nanosPerToken = Math.max(1, TimeUnit.SECONDS.toNanos(1) / tokensPerSecond);
        capacityNanos = nanosPerToken * capacity;
    }

    /**
     * Takes a token.
     *
     * @param fullAtNanos the state of the bucket
     * @param nowNanos    the current time
     * @return the new state of the bucket, or {@link #EMPTY} if the bucket has no token
     */
    long take(long fullAtNanos, long nowNanos) {
        long taken = Math.max(fullAtNanos, nowNanos) + nanosPerToken;
        return taken - nowNanos > capacityNanos ? EMPTY : taken;
    }
}

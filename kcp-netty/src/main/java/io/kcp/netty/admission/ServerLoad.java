package io.kcp.netty.admission;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Determines whether a server is under load, which means that its unvalidated sessions exceed both {@value #MIN_UNVALIDATED} and a quarter
 * of the permitted number. Limits the rate at which a server under load opens sessions. All sockets of a server share one instance. This
 * class is thread-safe.
 */
public final class ServerLoad {

    /**
     * Number of unvalidated sessions up to which a server is never under load, so that a small server accepts the clients of a household
     * without delay.
     */
    static final int MIN_UNVALIDATED = 64;
    private static final int SHARE = 4;
    /** Divisor of the sessions per second that gives the capacity of the token bucket for opened sessions. */
    private static final int BURST_SHARE = 32;

    private final SessionCounts counts;
    private final int threshold;
    private final @Nullable TokenBucket bucket;
    private final AtomicLong fullAtNanos = new AtomicLong(TokenBucket.FULL);

    /** Creates an object that determines the load of a server from the session counts in {@code counts}. */
    public ServerLoad(SessionCounts counts, FloodLimits limits) {
        this.counts = counts;
        threshold = Math.max(MIN_UNVALIDATED, counts.maxUnvalidated() / SHARE);
        int perSecond = limits.openingsPerSecond(counts.maxUnvalidated());
        bucket = perSecond == 0 ? null : new TokenBucket(perSecond, Math.max(1, perSecond / BURST_SHARE));
    }

    /** Returns {@code true} if the server is under load. */
    public boolean isHigh() {
        return counts.unvalidated() > threshold;
    }

    /** Counts a session that a server under load is about to open. Returns {@code false} if the limit per second is exceeded. */
    public boolean takeOpening(long nowMs) {
        TokenBucket openings = bucket;
        if (openings == null) {
            return true;
        }
        long nowNanos = TimeUnit.MILLISECONDS.toNanos(nowMs);
        while (true) {
            long before = fullAtNanos.get();
            long after = openings.take(before, nowNanos);
            if (after == TokenBucket.EMPTY) {
                return false;
            }
            if (fullAtNanos.compareAndSet(before, after)) {
                return true;
            }
        }
    }
}

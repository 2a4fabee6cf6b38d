package io.kcp.netty.internal.admission;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Determines whether a server is under load, and limits the rate at which a server under load opens sessions. A server is under load while
 * its unvalidated sessions exceed a threshold. It is also under load for one second after it has evicted a session because of a limit of
 * the whole server, after too many peers were waiting until their sessions are opened, and after its accept filter has refused too many
 * sessions. The threshold is a quarter of the permitted number of unvalidated sessions or {@value #MIN_UNVALIDATED}, whichever is more, but
 * at most half of the permitted number. All sockets of a server share one instance. This class is thread-safe.
 */
public final class ServerLoad {

    /**
     * Minimum of the threshold, unless half of the permitted number is less. It allows a small server to accept up to 64 clients at the
     * same time without delay.
     */
    static final int MIN_UNVALIDATED = 64;
    private static final int SHARE = 4;
    private static final int MAX_SHARE = 2;
    /** Time in milliseconds for which a server counts as under load after an event other than too many unvalidated sessions. */
    static final int EVICTION_MS = 1_000;
    /** Number of sessions that the accept filter may refuse per second, and in one burst, before the server is under load. */
    static final int FILTERED_PER_SECOND = 64;
    /** Divisor of the sessions per second that gives the capacity of the token bucket for opened sessions. */
    private static final int BURST_SHARE = 32;

    private final SessionCounts counts;
    private final int threshold;
    private final @Nullable TokenBucket bucket;
    private final AtomicLong fullAtNanos = new AtomicLong(TokenBucket.FULL);
    private final TokenBucket filtered = new TokenBucket(FILTERED_PER_SECOND, FILTERED_PER_SECOND);
    private final AtomicLong filteredFullAtNanos = new AtomicLong(TokenBucket.FULL);
    /** The time until which the latest of these events puts the server under load. */
    private volatile long raisedUntilMs = Long.MIN_VALUE;

    /** Creates an object that determines the load of a server from the session counts in {@code counts}. */
    public ServerLoad(SessionCounts counts, FloodLimits limits) {
        this.counts = counts;
        int maxUnvalidated = counts.maxUnvalidated();
        threshold = Math.min(Math.max(MIN_UNVALIDATED, maxUnvalidated / SHARE), maxUnvalidated / MAX_SHARE);
        int perSecond = limits.openingsPerSecond(maxUnvalidated, Runtime.getRuntime().availableProcessors());
        bucket = perSecond == 0 ? null : new TokenBucket(perSecond, Math.max(1, perSecond / BURST_SHARE));
    }

    /** Returns {@code true} if the server is under load. */
    public boolean isHigh(long nowMs) {
        return counts.unvalidated() > threshold || nowMs < raisedUntilMs;
    }

    /** Records that a session was evicted because a limit of the whole server was reached. */
    public void onEvicted(long nowMs) {
        raise(nowMs);
    }

    /** Records that too many peers are waiting until their sessions are opened, so that a datagram was dropped. */
    public void onOpeningQueueFull(long nowMs) {
        raise(nowMs);
    }

    /** Records that the accept filter of the application refused a session. */
    public void onFiltered(long nowMs) {
        if (!take(filtered, filteredFullAtNanos, nowMs)) {
            raise(nowMs);
        }
    }

    private void raise(long nowMs) {
        raisedUntilMs = nowMs + EVICTION_MS;
    }

    /** Returns {@code true} unless a server under load has opened as many sessions per second as permitted. Counts nothing. */
    public boolean hasOpening(long nowMs) {
        return bucket == null || bucket.take(fullAtNanos.get(), TimeUnit.MILLISECONDS.toNanos(nowMs)) != TokenBucket.EMPTY;
    }

    /** Counts a session that a server under load is about to open. Returns {@code false} if the limit per second is exceeded. */
    public boolean takeOpening(long nowMs) {
        return bucket == null || take(bucket, fullAtNanos, nowMs);
    }

    private static boolean take(TokenBucket bucket, AtomicLong fullAtNanos, long nowMs) {
        long nowNanos = TimeUnit.MILLISECONDS.toNanos(nowMs);
        while (true) {
            long before = fullAtNanos.get();
            long after = bucket.take(before, nowNanos);
            if (after == TokenBucket.EMPTY) {
                return false;
            }
            if (fullAtNanos.compareAndSet(before, after)) {
                return true;
            }
        }
    }
}

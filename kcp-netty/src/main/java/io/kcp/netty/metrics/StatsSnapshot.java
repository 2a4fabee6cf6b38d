package io.kcp.netty.metrics;

import io.kcp.netty.KcpListenerStats;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.FutureListener;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Caches the statistics of a server. A call that finds them outdated starts a new collection, at most once a second, and waits briefly
 * for the result if its thread may block. A scrape reads dozens of meters, but only the first read waits. This class is thread-safe.
 */
final class StatsSnapshot {

    /** Minimum interval between two collections of statistics. */
    static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(1);
    /** Maximum time that a call waits for a collection, so that a busy event loop does not delay a scrape further. */
    static final long WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    private record Taken(KcpListenerStats stats, long takenNanos, long triedNanos) { }

    private record Request(CountDownLatch done, long untilNanos) { }

    private final Supplier<? extends Future<KcpListenerStats>> source;
    private final BooleanSupplier mayWait;
    private final LongSupplier nanoClock;
    private final AtomicReference<@Nullable Request> running = new AtomicReference<>();
    private volatile Taken taken;

    /**
     * Creates a cache and starts the first collection.
     *
     * @param source    starts a collection
     * @param mayWait   returns {@code true} if the calling thread may block, which event loops must not
     * @param nanoClock a clock such as {@link System#nanoTime}
     */
    StatsSnapshot(Supplier<? extends Future<KcpListenerStats>> source, BooleanSupplier mayWait, LongSupplier nanoClock) {
        this.source = source;
        this.mayWait = mayWait;
        this.nanoClock = nanoClock;
        long nowNanos = nanoClock.getAsLong();
        taken = new Taken(KcpListenerStats.ZERO, nowNanos, nowNanos - FRESH_NANOS);
        refresh(nowNanos);
    }

    /** Returns the statistics, which are at most one second old if the event loops respond in time and the caller may block. */
    KcpListenerStats get() {
        long nowNanos = nanoClock.getAsLong();
        if (nowNanos - taken.triedNanos >= FRESH_NANOS) {
            Request request = refresh(nowNanos);
            if (mayWait.getAsBoolean()) {
                await(request);
            }
        }
        return taken.stats;
    }

    /** Returns the age of the statistics in seconds, after refreshing them as {@link #get} does. */
    double ageSeconds() {
        get();
        return (nanoClock.getAsLong() - taken.takenNanos) / 1e9;
    }

    private Request refresh(long nowNanos) {
        Request request = new Request(new CountDownLatch(1), nowNanos + WAIT_NANOS);
        Request other = running.compareAndExchange(null, request);
        if (other != null) {
            return other;
        }
        source.get().addListener((FutureListener<KcpListenerStats>) collected -> {
            long thenNanos = nanoClock.getAsLong();
            taken = collected.isSuccess() ? new Taken(collected.getNow(), thenNanos, thenNanos)
                : new Taken(taken.stats, taken.takenNanos, thenNanos);
            running.set(null);
            request.done.countDown();
        });
        return request;
    }

    private void await(Request request) {
        try {
            request.done.await(request.untilNanos - nanoClock.getAsLong(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}

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
 * The figures of a server as they were a short while ago. Whoever finds them old has them collected anew, at most once a
 * second, and waits for that a little if it may; a scrape reads dozens of meters, of which the first one waits. Any thread.
 */
final class StatsSnapshot {

    static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(1);
    /** An event loop that does not answer within that is late itself; a scrape must not be. */
    static final long WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    private record Taken(KcpListenerStats stats, long takenNanos, long triedNanos) { }

    private record Request(CountDownLatch done, long untilNanos) { }

    private final Supplier<? extends Future<KcpListenerStats>> source;
    private final BooleanSupplier mayWait;
    private final LongSupplier nanoClock;
    private final AtomicReference<@Nullable Request> running = new AtomicReference<>();
    private volatile Taken taken;

    /**
     * Starts to collect.
     *
     * @param mayWait   whether the calling thread may be held up; event loops may not
     * @param nanoClock as {@link System#nanoTime}
     */
    StatsSnapshot(Supplier<? extends Future<KcpListenerStats>> source, BooleanSupplier mayWait, LongSupplier nanoClock) {
        this.source = source;
        this.mayWait = mayWait;
        this.nanoClock = nanoClock;
        long nowNanos = nanoClock.getAsLong();
        taken = new Taken(KcpListenerStats.ZERO, nowNanos, nowNanos - FRESH_NANOS);
        refresh(nowNanos);
    }

    /** Returns the figures: not more than a second old if the event loops answer in time, and if the caller may wait. */
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

    /** Returns how old the figures are that {@link #get} would return if nothing were collected. */
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
        source.get().addListener((FutureListener<KcpListenerStats>) figures -> {
            long thenNanos = nanoClock.getAsLong();
            taken = figures.isSuccess() ? new Taken(figures.getNow(), thenNanos, thenNanos)
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

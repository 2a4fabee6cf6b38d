package io.kcp.netty.packet;

import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.FastThreadLocal;
import io.netty.util.concurrent.Future;
import java.util.PriorityQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Calls the coalescers of one event loop when their flushes are due. One scheduled task serves all coalescers of the event loop, so that a
 * deferred flush allocates nothing. Confined to the event loop.
 */
final class FlushTimer implements Runnable {

    /** Minimum interval between two runs of the timer. It can delay a flush by at most this time. */
    static final long MIN_INTERVAL_NANOS = TimeUnit.MICROSECONDS.toNanos(250);

    private static final FastThreadLocal<FlushTimer> CURRENT = new FastThreadLocal<>();

    private final EventExecutor executor;
    /**
     * The coalescers in the order in which they are checked. Each occurs at most once and is checked no later than its next flush is due.
     */
    private final PriorityQueue<FlushCoalescer> queue =
        new PriorityQueue<>((a, b) -> Long.signum(a.queuedForNanos() - b.queuedForNanos()));
    private @Nullable Future<?> task;
    private long taskNanos;
    private long lastRunNanos;

    private FlushTimer(EventExecutor executor) {
        this.executor = executor;
        lastRunNanos = executor.ticker().nanoTime() - MIN_INTERVAL_NANOS;
    }

    /** Returns the timer of the calling event loop. */
    static FlushTimer of(EventExecutor executor) {
        FlushTimer timer = CURRENT.get();
        if (timer == null || timer.executor != executor) {
            timer = new FlushTimer(executor);
            CURRENT.set(timer);
        }
        return timer;
    }

    /** Adds a coalescer that is not in the queue. */
    void add(FlushCoalescer coalescer) {
        queue.add(coalescer);
        schedule();
    }

    void remove(FlushCoalescer coalescer) {
        queue.remove(coalescer);
    }

    private void schedule() {
        FlushCoalescer first = queue.peek();
        if (first == null) {
            return;
        }
        long earliestNanos = lastRunNanos + MIN_INTERVAL_NANOS;
        long atNanos = first.queuedForNanos() - earliestNanos > 0 ? first.queuedForNanos() : earliestNanos;
        if (task != null) {
            if (atNanos - taskNanos >= 0) {
                return;
            }
            task.cancel(false);
        }
        taskNanos = atNanos;
        task = executor.schedule(this, Math.max(0, atNanos - executor.ticker().nanoTime()), TimeUnit.NANOSECONDS);
    }

    @Override
    public void run() {
        task = null;
        lastRunNanos = executor.ticker().nanoTime();
        FlushCoalescer first = queue.peek();
        while (first != null && first.queuedForNanos() - lastRunNanos <= 0) {
            queue.poll();
            first.onDue(lastRunNanos);
            first = queue.peek();
        }
        schedule();
    }
}

package io.kcp.netty.internal.socket;

import io.netty.channel.SelectStrategy;
import io.netty.util.IntSupplier;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Busy-polls the socket for up to 25 µs before the event loop blocks, as long as nearly all recent waits were shorter than the time it
 * takes to wake a blocked thread. Otherwise the event loop blocks immediately, like Netty's own event loops, so that polling costs CPU time
 * only where it reduces latency.
 */
public final class AdaptiveSpin implements SelectStrategy {

    /**
     * Duration in nanoseconds below which a wait counts as short. Two peers that block between messages wake each other in about this time.
     */
    static final long SHORT_WAIT_NANOS = TimeUnit.MICROSECONDS.toNanos(100);
    /**
     * Maximum duration in nanoseconds of busy polling during one wait. Two peers that both poll respond to each other sooner. With 50 µs, a
     * server with 20,000 messages per second from 2,000 sessions used 50 % more CPU time, because its waits are about that long.
     */
    static final long SPIN_NANOS = TimeUnit.MICROSECONDS.toNanos(25);
    /** Score of recent waits at which busy polling starts. A short wait adds 1, and a long wait subtracts {@link #LONG_COST}. */
    static final int SHORT_WAITS = 64;
    private static final int LONG_COST = 8;
    /**
     * Credit that busy polling loses for each wait that exceeds {@link #SPIN_NANOS}. A shorter wait adds 1, and busy polling stops at 0.
     */
    private static final int FAILED_SPIN_COST = 12;
    private static final int MAX_CREDIT = 16;

    private final LongSupplier nanoTime;
    private int shortWaits;
    private int credit;
    private boolean waiting;
    private boolean slept;
    private long waitingSinceNanos;

    /** Creates the select strategy of one event loop. */
    public AdaptiveSpin(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    @Override
    public int calculateStrategy(IntSupplier selectNow, boolean hasTasks) throws Exception {
        if (hasTasks) {
            return found(selectNow.get());
        }
        long nowNanos = nanoTime.getAsLong();
        if (slept) {
            slept = false;
            waiting = false;
            learn(nowNanos - waitingSinceNanos);
        }
        if (!waiting) {
            waiting = true;
            waitingSinceNanos = nowNanos;
        }
        if (credit > 0) {
            int ready = found(selectNow.get());
            if (ready > 0) {
                credit = Math.min(credit + 1, MAX_CREDIT);
                return ready;
            }
            if (nowNanos - waitingSinceNanos < SPIN_NANOS) {
                // Returns to the event loop between two polls, so that the event loop also runs timers and the tasks that other threads
                // have submitted.
                return ready;
            }
            credit -= FAILED_SPIN_COST;
        }
        slept = true;
        return SelectStrategy.SELECT;
    }

    private int found(int ready) {
        if (ready > 0) {
            waiting = false;
        }
        return ready;
    }

    /** Counts a wait during which the event loop was blocked. The duration includes the work of the event loop after the wait. */
    private void learn(long waitedNanos) {
        if (credit > 0) {
            return;
        }
        shortWaits = waitedNanos < SHORT_WAIT_NANOS ? shortWaits + 1 : Math.max(0, shortWaits - LONG_COST);
        if (shortWaits == SHORT_WAITS) {
            shortWaits = 0;
            credit = MAX_CREDIT;
        }
    }
}

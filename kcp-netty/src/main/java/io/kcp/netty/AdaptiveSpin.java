package io.kcp.netty;

import io.netty.channel.SelectStrategy;
import io.netty.util.IntSupplier;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Lets an event loop look for datagrams a little longer before it sleeps, while that pays: when answers come sooner than a
 * thread that sleeps is woken. A loop whose waits are not nearly all short sleeps at once, as ever, so that this costs next
 * to nothing where it does not help.
 */
final class AdaptiveSpin implements SelectStrategy {

    /** Both ends of a conversation wait that long, or nearly, for each other's threads to be woken, until they spin. */
    static final long SHORT_WAIT_NANOS = TimeUnit.MICROSECONDS.toNanos(100);
    /** The longest that it spins. */
    static final long SPIN_NANOS = TimeUnit.MICROSECONDS.toNanos(50);
    /** So many more short waits than {@link #LONG_COST} times the others begin it. */
    static final int SHORT_WAITS = 64;
    private static final int LONG_COST = 8;
    /** It ends when spinning was in vain more often than once in so many times. */
    private static final int VAIN_COST = 12;
    private static final int MAX_CREDIT = 16;

    private final LongSupplier nanoTime;
    private int shortWaits;
    private int credit;
    private boolean waiting;
    private boolean slept;
    private long waitingSinceNanos;

    AdaptiveSpin(LongSupplier nanoTime) {
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
                // Not in a loop of its own: tasks of other threads, and timers, want to be seen.
                return ready;
            }
            credit -= VAIN_COST;
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

    /** Of a wait that was slept through; with what the loop did afterwards. */
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

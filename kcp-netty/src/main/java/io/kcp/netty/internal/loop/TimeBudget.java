package io.kcp.netty.internal.loop;

import java.util.concurrent.TimeUnit;

/** Limits the share of an event loop's time that is spent on one kind of work. This class is used on that event loop only. */
public final class TimeBudget {

    /** Maximum time in nanoseconds that may be spent in one burst. */
    static final long CAPACITY_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final int WHOLE_PERCENT = 100;

    private long leftNanos = CAPACITY_NANOS;
    private long refilledAtNanos;

    /**
     * Creates a full budget.
     *
     * @param nowNanos the current time of the event loop
     */
    public TimeBudget(long nowNanos) {
        refilledAtNanos = nowNanos;
    }

    /** Makes the whole budget available. */
    void fill(long nowNanos) {
        refilledAtNanos = nowNanos;
        leftNanos = CAPACITY_NANOS;
    }

    /**
     * Adds the time that has become available since the latest call.
     *
     * @param percent the share of the time in percent
     */
    public void refill(long nowNanos, int percent) {
        long elapsed = nowNanos - refilledAtNanos;
        refilledAtNanos = nowNanos;
        leftNanos = elapsed >= TimeUnit.SECONDS.toNanos(1) ? CAPACITY_NANOS
            : Math.min(CAPACITY_NANOS, leftNanos + elapsed * percent / WHOLE_PERCENT);
    }

    /** Returns the time in nanoseconds that is left, which is negative if more time was spent than was available. */
    long leftNanos() {
        return leftNanos;
    }

    /** Returns {@code true} if there is time left to begin work. */
    public boolean mayBegin() {
        return leftNanos > 0;
    }

    /** Subtracts the measured time of work from the budget. */
    public void charge(long nanos) {
        // Limits the negative balance, because a pause of the JVM may coincide with the work.
        leftNanos = Math.max(leftNanos - nanos, -CAPACITY_NANOS);
    }
}

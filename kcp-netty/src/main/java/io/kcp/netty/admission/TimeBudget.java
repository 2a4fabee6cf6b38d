package io.kcp.netty.admission;

import java.util.concurrent.TimeUnit;

/** Limits the share of an event loop's time that is spent on one kind of work. This class is used on that event loop only. */
public final class TimeBudget {

    /** Maximum time in nanoseconds that may be spent in one burst. */
    static final long CAPACITY_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final int WHOLE_PERCENT = 100;

    private final int percent;
    private long leftNanos = CAPACITY_NANOS;
    private long refilledAtNanos;

    /**
     * Creates a full budget.
     *
     * @param percent  the share of the time in percent
     * @param nowNanos the current time of the event loop
     */
    public TimeBudget(int percent, long nowNanos) {
        this.percent = percent;
        refilledAtNanos = nowNanos;
    }

    /** Returns {@code true} if there is time left to begin work. */
    public boolean mayBegin(long nowNanos) {
        long elapsed = nowNanos - refilledAtNanos;
        refilledAtNanos = nowNanos;
        leftNanos = elapsed >= TimeUnit.SECONDS.toNanos(1) ? CAPACITY_NANOS
            : Math.min(CAPACITY_NANOS, leftNanos + elapsed * percent / WHOLE_PERCENT);
        return leftNanos > 0;
    }

    /** Subtracts the measured time of work from the budget. */
    public void charge(long nanos) {
        // Limits the negative balance, because a pause of the JVM may coincide with the work.
        leftNanos = Math.max(leftNanos - nanos, -CAPACITY_NANOS);
    }
}

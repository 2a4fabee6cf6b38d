package io.kcp.netty.internal.admission;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Limits a log message to one line per minute. This class is thread-safe. */
public final class LogInterval {

    /** Minimum interval between two log lines, in nanoseconds. */
    public static final long NANOS = TimeUnit.MINUTES.toNanos(1);

    private static final long NEVER = Long.MIN_VALUE;

    private final AtomicLong loggedNanos = new AtomicLong(NEVER);

    /** Creates an interval that permits the first message immediately. */
    public LogInterval() {
    }

    /** Returns {@code true} and starts the next interval if the message may be logged now. */
    public boolean begin(long nowNanos) {
        long last = loggedNanos.get();
        return (last == NEVER || nowNanos - last >= NANOS) && loggedNanos.compareAndSet(last, nowNanos);
    }
}

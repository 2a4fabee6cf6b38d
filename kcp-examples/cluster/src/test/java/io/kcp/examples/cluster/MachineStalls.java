package io.kcp.examples.cluster;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Measures how long this machine did not schedule a runnable thread. Delays that are measured at the same time may be longer by this
 * duration.
 */
final class MachineStalls implements AutoCloseable {

    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
    /** Minimum delay of a timer that counts as a stall, which timers of an idle machine do not reach. */
    private static final long LATE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private final AtomicLong stalledNanos = new AtomicLong();
    private final Thread thread = new Thread(this::watch, "machine stalls");

    MachineStalls() {
        thread.setDaemon(true);
        thread.start();
    }

    private void watch() {
        long fromNanos = System.nanoTime();
        while (!Thread.currentThread().isInterrupted()) {
            try {
                TimeUnit.NANOSECONDS.sleep(PAUSE_NANOS);
            } catch (InterruptedException closed) {
                return;
            }
            long nowNanos = System.nanoTime();
            long lateNanos = nowNanos - fromNanos - PAUSE_NANOS;
            if (lateNanos > LATE_NANOS) {
                stalledNanos.addAndGet(lateNanos);
            }
            fromNanos = nowNanos;
        }
    }

    /** Returns the total duration of all stalls. */
    double totalMs() {
        return stalledNanos.get() / 1e6;
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}

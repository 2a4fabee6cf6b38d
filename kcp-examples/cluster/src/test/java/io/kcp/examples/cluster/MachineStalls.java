package io.kcp.examples.cluster;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Measures for how long this machine gave a thread no processor. A delay measured meanwhile may be longer by as much for no reason that
 * lies in the programs.
 */
final class MachineStalls implements AutoCloseable {

    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
    /** Timers of an idle machine are not as late as that. */
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

    /** Returns the sum of all stalls so far. */
    double totalMs() {
        return stalledNanos.get() / 1e6;
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}

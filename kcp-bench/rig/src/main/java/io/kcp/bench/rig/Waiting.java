package io.kcp.bench.rig;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Waits for a time or a condition. */
final class Waiting {

    /** An action that blocks. */
    interface Action {
        void run() throws InterruptedException;
    }

    /** A condition that is polled. */
    interface Condition {
        boolean holds() throws InterruptedException;
    }

    private Waiting() {
    }

    /** Waits for some seconds. */
    static void sleep(double seconds) throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep((long) (seconds * 1e9));
    }

    /** Polls until the condition is true or the timeout expires. */
    static void poll(Duration interval, Duration timeout, Condition condition) throws InterruptedException {
        long endNs = System.nanoTime() + timeout.toNanos();
        while (!condition.holds() && System.nanoTime() - endNs < 0) {
            TimeUnit.NANOSECONDS.sleep(interval.toNanos());
        }
    }
}

package io.kcp.bench.rig;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Waits for a time or a condition. */
public final class Waiting {

    /** An action that blocks. */
    public interface Action {

        /** Runs the action. */
        void run() throws InterruptedException;
    }

    /** A condition that may need an answer of another process. */
    public interface Condition {

        /** Returns {@code true} if the condition is true now. */
        boolean holds() throws InterruptedException;
    }

    private Waiting() {
    }

    /** Waits for some seconds. */
    public static void sleep(double seconds) throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep((long) (seconds * 1e9));
    }

    /** Polls until the condition is true or the timeout expires. */
    public static void poll(Duration interval, Duration timeout, Condition condition) throws InterruptedException {
        long endNs = System.nanoTime() + timeout.toNanos();
        while (!condition.holds() && System.nanoTime() - endNs < 0) {
            TimeUnit.NANOSECONDS.sleep(interval.toNanos());
        }
    }
}

package io.kcp.examples.arena;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/** Waits for a condition, with a deadline. */
public final class Eventually {

    private static final long PAUSE_NANOS = Duration.ofMillis(20).toNanos();

    private Eventually() {
    }

    /** Waits until a condition holds and returns after how long it did; what it throws counts as not yet. */
    public static Duration await(String what, Duration limit, Callable<Boolean> condition, Supplier<String> otherwise) {
        long start = System.nanoTime();
        Throwable last = null;
        while (System.nanoTime() - start < limit.toNanos()) {
            try {
                if (condition.call()) {
                    return Duration.ofNanos(System.nanoTime() - start);
                }
            } catch (Exception notYet) {
                last = notYet;
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
        throw new AssertionError(what + ": not within " + limit + "; " + otherwise.get(), last);
    }
}

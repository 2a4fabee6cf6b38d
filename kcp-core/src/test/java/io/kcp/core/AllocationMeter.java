package io.kcp.core;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.function.Consumer;

/** Measures the bytes of heap memory that the current thread allocates during an action. */
public final class AllocationMeter {

    private static final ThreadMXBean THREADS = ManagementFactory.getPlatformMXBean(ThreadMXBean.class);

    /**
     * Limit on the bytes that are allocated for one inbound datagram. During a search for inputs, Jazzer's instrumentation also allocates
     * memory.
     */
    private static final long LIMIT_BYTES = System.getenv("JAZZER_FUZZ") == null ? 8 << 10 : 64 << 10;
    private static final int REPETITIONS = 10;

    private long mostBytes;

    /** Runs an action and records the bytes that it allocates. */
    public void measure(Runnable action) {
        long before = THREADS.getCurrentThreadAllocatedBytes();
        action.run();
        mostBytes = Math.max(mostBytes, THREADS.getCurrentThreadAllocatedBytes() - before);
    }

    /** Returns the largest number of bytes that one measured action has allocated. */
    public long mostBytes() {
        return mostBytes;
    }

    /**
     * Runs a test case, and repeats it if a measured action allocates more than 8 KiB, because the first runs also load classes. Fails if
     * all runs exceed the limit.
     */
    public static void check(Consumer<AllocationMeter> testCase) {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < REPETITIONS && least > LIMIT_BYTES; i++) {
            AllocationMeter meter = new AllocationMeter();
            testCase.accept(meter);
            least = Math.min(least, meter.mostBytes());
        }
        if (least > LIMIT_BYTES) {
            throw new AssertionError("a datagram allocated " + least + " bytes");
        }
    }
}

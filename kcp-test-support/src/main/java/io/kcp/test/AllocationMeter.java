package io.kcp.test;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.function.Consumer;

/** Measures the bytes of heap memory that the current thread allocates during an action. */
public final class AllocationMeter {

    private static final ThreadMXBean THREADS = ManagementFactory.getPlatformMXBean(ThreadMXBean.class);

    /**
     * Limit on the bytes that are allocated for one inbound datagram. During a search for inputs, Jazzer's instrumentation also allocates
     * memory.
     */
    private static final long LIMIT_BYTES = System.getenv("JAZZER_FUZZ") == null ? 8 << 10 : 64 << 10;
    /** The first runs load classes, and until code is compiled, it also allocates objects that compiled code does not. */
    private static final int WARM_UP_RUNS = 5;
    private static final int MEASURED_RUNS = 5;

    private long mostBytes;

    /**
     * Runs an action and records the bytes that it allocates.
     *
     * @param action runs in the current thread
     */
    public void measure(Runnable action) {
        long before = THREADS.getCurrentThreadAllocatedBytes();
        action.run();
        mostBytes = Math.max(mostBytes, THREADS.getCurrentThreadAllocatedBytes() - before);
    }

    /**
     * Adds the result of another meter.
     *
     * @param other is unchanged
     */
    public void add(AllocationMeter other) {
        mostBytes = Math.max(mostBytes, other.mostBytes);
    }

    /**
     * Returns the largest number of bytes that one measured action has allocated.
     *
     * @return bytes
     */
    public long mostBytes() {
        return mostBytes;
    }

    /**
     * Repeats a test case without measuring it, and then measures it several times.
     *
     * @param testCase measures actions with the meter
     * @return the median of {@link #mostBytes} of the measured runs
     */
    public static long medianBytes(Consumer<AllocationMeter> testCase) {
        long[] bytes = new long[MEASURED_RUNS];
        for (int run = -WARM_UP_RUNS; run < MEASURED_RUNS; run++) {
            AllocationMeter meter = new AllocationMeter();
            testCase.accept(meter);
            if (run >= 0) {
                bytes[run] = meter.mostBytes();
            }
        }
        Arrays.sort(bytes);
        return bytes[MEASURED_RUNS / 2];
    }

    /**
     * Fails if the measured actions of an input allocate more than 8 KiB. An input that stays below the limit at once is not repeated,
     * because a search tries many inputs; the first run of all others may have loaded classes.
     *
     * @param input measures the processing of each datagram with the meter
     */
    public static void checkInput(Consumer<AllocationMeter> input) {
        AllocationMeter first = new AllocationMeter();
        input.accept(first);
        if (first.mostBytes() > LIMIT_BYTES) {
            long bytes = medianBytes(input);
            if (bytes > LIMIT_BYTES) {
                throw new AssertionError("a datagram allocated " + bytes + " bytes");
            }
        }
    }
}

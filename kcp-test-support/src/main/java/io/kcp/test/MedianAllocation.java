package io.kcp.test;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/** Measures how much heap memory an action allocates once its code is compiled. */
public final class MedianAllocation {

    private static final int MEASUREMENTS = 11;
    private static final int MAX_WARM_UP_S = 60;
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private MedianAllocation() {
    }

    /** A measurement of allocated bytes. */
    public interface Measurement {

        /**
         * Runs what is measured.
         *
         * @return the bytes that it allocated
         * @throws Exception if it fails
         */
        long bytes() throws Exception;
    }

    /**
     * Returns {@code true} if this JVM counts the bytes that a thread allocates.
     *
     * @return {@code true} if the other methods can measure
     */
    public static boolean isSupported() {
        return THREADS.isThreadAllocatedMemorySupported();
    }

    /**
     * Returns the median of {@value #MEASUREMENTS} measurements after the warm-up. The warm-up ends with the first measurement of at most
     * {@code goalBytes}, because the JVM allocates while it links and compiles code, which takes seconds on a busy machine.
     */
    public static long of(long goalBytes, Measurement measurement) throws Exception {
        long endNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(MAX_WARM_UP_S);
        while (measurement.bytes() > goalBytes && System.nanoTime() - endNanos < 0) {
            Thread.onSpinWait();
        }
        return median(measurement);
    }

    /** Returns the median of {@value #MEASUREMENTS} measurements after a warm-up of the given number of measurements. */
    public static long afterWarmUp(int measurements, Measurement measurement) throws Exception {
        for (int i = 0; i < measurements; i++) {
            measurement.bytes();
        }
        return median(measurement);
    }

    private static long median(Measurement measurement) throws Exception {
        long[] bytes = new long[MEASUREMENTS];
        for (int i = 0; i < MEASUREMENTS; i++) {
            bytes[i] = measurement.bytes();
        }
        System.out.println("allocated bytes: " + Arrays.toString(bytes));
        Arrays.sort(bytes);
        return bytes[MEASUREMENTS / 2];
    }

    /** Returns how many bytes the current thread allocates per round. Netty's pool allocates a few objects in thousands of rounds. */
    public static long perRound(int rounds, Runnable round) {
        long before = THREADS.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < rounds; i++) {
            round.run();
        }
        return (THREADS.getCurrentThreadAllocatedBytes() - before) / rounds;
    }
}

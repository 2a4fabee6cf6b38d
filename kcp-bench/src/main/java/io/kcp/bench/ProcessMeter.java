package io.kcp.bench;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** What this process took from the machine. */
final class ProcessMeter {

    private static final OperatingSystemMXBean SYSTEM = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final int COLLECTIONS = 3;
    private static final long BETWEEN_COLLECTIONS_MS = 200;

    private ProcessMeter() {
    }

    /** CPU time of all threads so far, user and system. */
    static double cpuMs() {
        return SYSTEM.getProcessCpuTime() / (double) TimeUnit.MILLISECONDS.toNanos(1);
    }

    /** What the threads that are alive have allocated so far. */
    static long allocatedBytes() {
        long sum = 0;
        for (long bytes : THREADS.getThreadAllocatedBytes(THREADS.getAllThreadIds())) {
            sum += Math.max(bytes, 0);
        }
        return sum;
    }

    /** Heap in use after several full collections: one leaves what its reference processing found. */
    static long heapAfterCollectionBytes() {
        for (int i = 0; i < COLLECTIONS; i++) {
            System.gc();
            sleep(BETWEEN_COLLECTIONS_MS);
        }
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }

    /** Memory of this process that is in RAM; 0 where the system does not tell. */
    static long residentBytes() {
        try (Stream<String> lines = Files.lines(Path.of("/proc/self/status"))) {
            return lines.filter(line -> line.startsWith("VmRSS:")).mapToLong(ProcessMeter::kibibytes).findFirst().orElse(0);
        } catch (IOException | UncheckedIOException notLinux) {
            return 0;
        }
    }

    private static long kibibytes(String line) {
        return Long.parseLong(line.replaceAll("[^0-9]", "")) << 10;
    }

    static void sleep(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException interrupted) {
            throw new IllegalStateException("interrupted", interrupted);
        }
    }
}

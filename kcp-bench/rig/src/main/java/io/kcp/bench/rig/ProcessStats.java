package io.kcp.bench.rig;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/** Measures CPU time and memory of this process. */
public final class ProcessStats {

    private static final OperatingSystemMXBean SYSTEM = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final int COLLECTIONS = 3;
    private static final long NS_BETWEEN_COLLECTIONS = 200_000_000;

    private ProcessStats() {
    }

    /** Returns the user and system CPU time of all threads. */
    public static double cpuMs() {
        return SYSTEM.getProcessCpuTime() / (double) TimeUnit.MILLISECONDS.toNanos(1);
    }

    /** Returns the number of heap bytes that the live threads have allocated since they started. */
    public static long allocatedBytes() {
        return LongStream.of(THREADS.getThreadAllocatedBytes(THREADS.getAllThreadIds())).filter(bytes -> bytes > 0).sum();
    }

    /**
     * Returns the used heap after several full garbage collections, because some objects are freed only by the collection after the
     * one that clears the references to them.
     */
    public static long heapAfterCollectionBytes() {
        for (int i = 0; i < COLLECTIONS; i++) {
            System.gc();
            LockSupport.parkNanos(NS_BETWEEN_COLLECTIONS);
        }
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }

    /** Returns the resident set size, or 0 on systems without {@code /proc}. */
    public static long residentBytes() {
        return residentBytes("self");
    }

    /** Returns the resident set size of a process with the given name in {@code /proc}, or 0 on systems without this directory. */
    public static long residentBytes(String process) {
        try (Stream<String> lines = Files.lines(Path.of("/proc", process, "status"))) {
            return lines.filter(line -> line.startsWith("VmRSS:")).mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) << 10)
                .findFirst().orElse(0);
        } catch (IOException | UncheckedIOException notLinux) {
            return 0;
        }
    }
}

package io.kcp.bench.experiment;

import io.kcp.bench.CpuTime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/**
 * CPU time of the JIT compiler threads of another JVM. A JVM ends compiler threads that have nothing to do, and then their CPU time is no
 * longer visible, so this object remembers the last value of each thread.
 */
final class CompilerTime {

    private static final String C1 = "C1 Compiler";
    private static final String C2 = "C2 Compiler";

    private final Path threads;
    private final Map<Path, CpuTime> c1 = new HashMap<>();
    private final Map<Path, CpuTime> c2 = new HashMap<>();

    CompilerTime(long pid) {
        threads = Path.of("/proc", Long.toString(pid), "task");
    }

    /** Reads the CPU time of all threads. Does nothing on systems other than Linux. */
    void update() {
        try (Stream<Path> all = Files.list(threads)) {
            all.forEach(this::update);
        } catch (IOException notLinux) {
            // Only Linux lists the threads of a process.
        }
    }

    private void update(Path thread) {
        try {
            String name = Files.readString(thread.resolve("comm"));
            if (name.startsWith(C1) || name.startsWith(C2)) {
                CpuTime time = CpuTime.read(thread.resolve("stat"));
                if (time != CpuTime.UNKNOWN) {
                    (name.startsWith(C1) ? c1 : c2).put(thread, time);
                }
            }
        } catch (IOException ended) {
            // The thread has ended after the threads were listed.
        }
    }

    double c1Ms() {
        return sum(c1, CpuTime::totalMs);
    }

    double c2Ms() {
        return sum(c2, CpuTime::totalMs);
    }

    /** Returns the time of both compilers outside of the kernel. */
    double userMs() {
        return sum(c1, CpuTime::userMs) + sum(c2, CpuTime::userMs);
    }

    private static double sum(Map<Path, CpuTime> times, ToDoubleFunction<CpuTime> part) {
        return times.values().stream().mapToDouble(part).sum();
    }
}

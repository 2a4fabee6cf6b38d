package io.kcp.bench.experiment;

import io.kcp.bench.CpuTime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;

/**
 * CPU time of the JIT compiler threads of another JVM. A JVM ends compiler threads that have nothing to do, and then their CPU time is no
 * longer visible, so this object remembers the last value of each thread.
 */
final class CompilerTime {

    private static final String C1 = "C1 Compiler";
    private static final String C2 = "C2 Compiler";

    private final Path threads;
    private final Map<String, Double> c1Ms = new HashMap<>();
    private final Map<String, Double> c2Ms = new HashMap<>();

    CompilerTime(long pid) {
        threads = Path.of("/proc", Long.toString(pid), "task");
    }

    /** Reads the CPU time of all threads. Does nothing on systems other than Linux. */
    void update() {
        try (Stream<Path> all = Files.list(threads)) {
            for (Path thread : all.toList()) {
                String name = Files.readString(thread.resolve("comm"));
                if (name.startsWith(C1) || name.startsWith(C2)) {
                    double ms = CpuTime.read(thread.resolve("stat")).totalMs();
                    if (!Double.isNaN(ms)) {
                        (name.startsWith(C1) ? c1Ms : c2Ms).merge(thread.toString(), ms, Math::max);
                    }
                }
            }
        } catch (IOException ended) {
            // A thread has ended between the two system calls, or this system is not Linux.
        }
    }

    double c1Ms() {
        return sum(c1Ms);
    }

    double c2Ms() {
        return sum(c2Ms);
    }

    private static double sum(Map<String, Double> times) {
        return times.values().stream().mapToDouble(Double::doubleValue).sum();
    }
}

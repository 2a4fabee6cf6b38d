package io.kcp.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** CPU time of a process or thread, in the kernel and outside of it. */
public record CpuTime(double userMs, double kernelMs) {

    /** Time on systems other than Linux. */
    public static final CpuTime UNKNOWN = new CpuTime(Double.NaN, Double.NaN);

    /** Clock ticks of {@code /proc}, of which Linux has 100 per second on all common processors. */
    private static final double MS_PER_TICK = 10;
    /** Positions among the fields that follow the name of the program. */
    private static final int USER_FIELD = 11;
    private static final int KERNEL_FIELD = 12;

    /** Returns the CPU time that a process has used so far. Its values are NaN on systems other than Linux. */
    public static CpuTime of(long pid) {
        return read(Path.of("/proc", Long.toString(pid), "stat"));
    }

    /** Reads a file with the format of {@code /proc/PID/stat}. */
    public static CpuTime read(Path file) {
        try {
            String line = Files.readString(file);
            // The name of the program is in parentheses, and may contain spaces and parentheses.
            String[] fields = line.substring(line.lastIndexOf(')') + 2).split(" ", -1);
            return new CpuTime(Long.parseLong(fields[USER_FIELD]) * MS_PER_TICK, Long.parseLong(fields[KERNEL_FIELD]) * MS_PER_TICK);
        } catch (IOException unavailable) {
            return UNKNOWN;
        }
    }

    /** Returns the whole CPU time. */
    public double totalMs() {
        return userMs + kernelMs;
    }
}

package io.kcp.bench.experiment;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Counts the system calls of processes with {@code perf}, including their threads. The library cannot count them itself, because neither
 * Netty nor the kernel does: {@code /proc/PID/io} counts reads and writes of files, but not {@code sendmmsg} or {@code recvmmsg}.
 */
final class SyscallCounter implements AutoCloseable {

    private static final String EVENT = "raw_syscalls:sys_enter";

    private final Process perf;

    private SyscallCounter(Process perf) {
        this.perf = perf;
    }

    /** Starts to count. */
    static SyscallCounter start(long... pids) throws IOException {
        String processes = Arrays.stream(pids).mapToObj(Long::toString).collect(Collectors.joining(","));
        return new SyscallCounter(perf("-p", processes));
    }

    private static Process perf(String... arguments) throws IOException {
        List<String> command = Stream.concat(Stream.of("perf", "stat", "-x,", "-e", EVENT), Stream.of(arguments)).toList();
        return new ProcessBuilder(command).redirectErrorStream(true).start();
    }

    /** Returns the reason why this machine cannot count system calls, or null if it can. */
    static @Nullable String obstacle() throws InterruptedException {
        try (SyscallCounter counter = new SyscallCounter(perf("true"))) {
            return counter.count() > 0 ? null : "perf cannot count " + EVENT + "; it needs root and tracefs";
        } catch (IOException missing) {
            return "perf is missing";
        }
    }

    /** Stops counting and returns the number of system calls, or NaN if {@code perf} did not report one. */
    double stop() throws IOException, InterruptedException {
        new ProcessBuilder("kill", "-INT", Long.toString(perf.pid())).start().waitFor();
        return count();
    }

    private double count() throws IOException, InterruptedException {
        String output = new String(perf.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        perf.waitFor();
        return output.lines().filter(line -> line.contains(EVENT)).map(line -> line.substring(0, line.indexOf(',')))
            .filter(number -> number.matches("[0-9]+")).mapToDouble(Double::parseDouble).findFirst().orElse(Double.NaN);
    }

    @Override
    public void close() {
        perf.destroyForcibly();
    }
}

package io.kcp.bench.experiment;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Assigns the server to the first processor on which this process may run, and the clients to the others, with {@code taskset}.
 *
 * @param server  command that runs a program on the processor of the server
 * @param clients command that runs a program on the other processors
 * @param problem the reason why programs cannot be pinned on this machine, or null if they can
 */
record Pinning(List<String> server, List<String> clients, @Nullable String problem) {

    private static final int CHECK_SECONDS = 10;
    private static final String ALLOWED = "Cpus_allowed_list:";

    /** Chooses the processors of this machine. */
    static Pinning find() {
        try (Stream<String> lines = Files.lines(Path.of("/proc/self/status"))) {
            String allowed = lines.filter(line -> line.startsWith(ALLOWED)).map(line -> line.substring(ALLOWED.length()).strip())
                .findFirst().orElse("");
            Pinning pinning = of(allowed);
            return pinning.problem == null ? pinning.checked() : pinning;
        } catch (IOException notLinux) {
            return unavailable("processors can be assigned on Linux only");
        }
    }

    /** Divides processors between server and clients. The argument is a list such as {@code 0-2,5}. */
    static Pinning of(String processors) {
        List<String> each = Stream.of(processors.split(",", -1)).filter(range -> !range.isEmpty()).flatMap(range -> {
            String[] ends = range.split("-", -1);
            return IntStream.rangeClosed(Integer.parseInt(ends[0]), Integer.parseInt(ends[ends.length - 1])).mapToObj(Integer::toString);
        }).toList();
        return each.size() < 2 ? unavailable("this process may run on one processor only")
            : new Pinning(taskset(each.get(0)), taskset(each.stream().skip(1).collect(Collectors.joining(","))), null);
    }

    private static List<String> taskset(String processors) {
        return List.of("taskset", "--cpu-list", processors);
    }

    /** Returns an object that pins nothing. */
    static Pinning unavailable(String problem) {
        return new Pinning(List.of(), List.of(), problem);
    }

    private Pinning checked() {
        try {
            for (List<String> prefix : List.of(server, clients)) {
                Process check = new ProcessBuilder(Stream.concat(prefix.stream(), Stream.of("true")).toList())
                    .redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
                if (!check.waitFor(CHECK_SECONDS, TimeUnit.SECONDS) || check.exitValue() != 0) {
                    return unavailable(String.join(" ", prefix) + " fails");
                }
            }
            return this;
        } catch (IOException missing) {
            return unavailable("taskset is missing; install the package util-linux");
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return unavailable("interrupted");
        }
    }

    /** Moves all threads of this process to the processors of the clients. Threads that are started later inherit this. */
    void moveThisProcess() {
        String processors = clients.get(clients.size() - 1);
        try {
            Process taskset = new ProcessBuilder("taskset", "--all-tasks", "--cpu-list", "--pid", processors,
                Long.toString(ProcessHandle.current().pid())).redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
            if (!taskset.waitFor(CHECK_SECONDS, TimeUnit.SECONDS) || taskset.exitValue() != 0) {
                throw new IllegalStateException("cannot move this process to the processors " + processors);
            }
        } catch (IOException failure) {
            throw new IllegalStateException("cannot move this process to the processors " + processors, failure);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}

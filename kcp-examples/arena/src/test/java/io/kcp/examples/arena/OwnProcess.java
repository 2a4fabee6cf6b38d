package io.kcp.examples.arena;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Program that a test has started. It is terminated by {@link #close}, by the exit of this JVM, and after ten minutes at the latest,
 * because it runs under {@code timeout}.
 */
public final class OwnProcess implements AutoCloseable {

    private static final String LONGEST_LIFE = "600";
    private static final Duration END = Duration.ofSeconds(10);

    private final String name;
    private final Path output;
    private final Process process;
    private final Thread hook;

    private OwnProcess(String name, Path output, Process process) {
        this.name = name;
        this.output = output;
        this.process = process;
        this.hook = new Thread(this::destroy, "end of " + name);
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /** Starts a program whose output goes to a file in the directory. */
    public static OwnProcess start(String name, Path directory, List<String> command) throws IOException {
        List<String> bounded = new ArrayList<>(List.of(Tool.find("timeout"), "-k", "5", LONGEST_LIFE));
        bounded.addAll(command);
        Path output = directory.resolve(name + ".out");
        ProcessBuilder builder = new ProcessBuilder(bounded).redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(output.toFile()));
        Process process = builder.start();
        process.getOutputStream().close();
        return new OwnProcess(name, output, process);
    }

    /** Returns {@code true} if the program is running. */
    public boolean isAlive() {
        return process.isAlive();
    }

    /** Returns the output of the program so far. */
    public String output() {
        try {
            return Files.readString(output);
        } catch (IOException missing) {
            return missing.toString();
        }
    }

    /** Sends a signal to the program itself instead of {@code timeout}, which would kill a program that terminates slowly. */
    public void signal(String signal) throws IOException {
        List<String> command = new ArrayList<>(List.of(Tool.find("kill"), "-s", signal));
        process.descendants().forEach(program -> command.add(Long.toString(program.pid())));
        try {
            int exitCode = new ProcessBuilder(command).inheritIO().start().waitFor();
            if (exitCode != 0) {
                throw new AssertionError(String.join(" ", command) + " ended with " + exitCode);
            }
        } catch (InterruptedException interrupted) {
            throw new AssertionError(interrupted);
        }
    }

    /** Kills the program and all its child processes, and waits until they have exited. */
    public void kill() {
        List<ProcessHandle> started = destroy();
        awaitEnd(END);
        started.forEach(program -> program.onExit().orTimeout(END.toSeconds(), TimeUnit.SECONDS).join());
    }

    /** Waits until the program has exited, and returns its exit code. */
    public int awaitEnd(Duration limit) {
        try {
            if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new AssertionError(name + " did not end within " + limit + ": " + output());
            }
            return process.exitValue();
        } catch (InterruptedException interrupted) {
            throw new AssertionError(interrupted);
        }
    }

    private List<ProcessHandle> destroy() {
        List<ProcessHandle> started = process.descendants().toList();
        started.forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
        return started;
    }

    @Override
    public void close() {
        if (process.isAlive()) {
            kill();
        }
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException shuttingDown) {
            // Ignores the failure, because the shutdown hook is already running.
        }
    }

    @Override
    public String toString() {
        return name;
    }
}

package io.kcp.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A process that prints one JSON object a line; it does not outlive this one. */
final class ChildProcess implements AutoCloseable {

    private static final String END = "";

    private final String name;
    private final Process process;
    private final Thread killer;
    private final PrintWriter input;
    private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();
    private final List<String> seen = new ArrayList<>();

    private ChildProcess(String name, Process process) {
        this.name = name;
        this.process = process;
        input = new PrintWriter(new OutputStreamWriter(process.getOutputStream(), StandardCharsets.UTF_8), true);
        killer = new Thread(process::destroyForcibly);
        Runtime.getRuntime().addShutdownHook(killer);
        Thread reader = new Thread(this::read, "output of " + name);
        reader.setDaemon(true);
        reader.start();
    }

    static ChildProcess start(String name, List<String> command) {
        try {
            return new ChildProcess(name, new ProcessBuilder(command).redirectErrorStream(true).start());
        } catch (IOException failure) {
            throw new IllegalStateException("cannot start " + String.join(" ", command), failure);
        }
    }

    /** Starts a program of this class path. */
    static ChildProcess startJava(Class<?> program, List<String> jvmOptions, List<String> arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(jvmOptions);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), program.getName()));
        command.addAll(arguments);
        return start(program.getSimpleName() + ' ' + arguments.get(0), command);
    }

    private void read() {
        try (BufferedReader reader = new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                if (!line.isEmpty()) {
                    lines.add(line);
                }
            }
        } catch (IOException closed) {
            seen.add(closed.toString());
        }
        lines.add(END);
    }

    long pid() {
        return process.pid();
    }

    /** Writes a line to its standard input. */
    void tell(String line) {
        input.println(line);
    }

    /** Waits for an event and returns its line; fails with all that was printed if it does not come. */
    String await(String event, long seconds) {
        long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        while (true) {
            String line;
            try {
                line = lines.poll(Math.max(0, deadlineNs - System.nanoTime()), TimeUnit.NANOSECONDS);
            } catch (InterruptedException interrupted) {
                throw new IllegalStateException("interrupted", interrupted);
            }
            if (line == null || line.equals(END)) {
                throw new IllegalStateException(
                    name + (line == null ? ": no " : " ended without ") + event + "; it printed " + seen);
            }
            seen.add(line);
            if (JsonLine.isEvent(line, event)) {
                return line;
            }
            if (JsonLine.isEvent(line, "error")) {
                throw new IllegalStateException(name + ": " + line);
            }
        }
    }

    /** Asks it to end. */
    void terminate() {
        // Process.destroy() would close the streams too, and its last words would be lost.
        process.toHandle().destroy();
    }

    @Override
    public void close() {
        process.destroyForcibly();
        try {
            process.waitFor();
            Runtime.getRuntime().removeShutdownHook(killer);
        } catch (InterruptedException | IllegalStateException endsAnyway) {
            Thread.currentThread().interrupt();
        }
    }
}

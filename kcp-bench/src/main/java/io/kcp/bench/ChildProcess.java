package io.kcp.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A process that prints one JSON object a line; it does not outlive this one. */
final class ChildProcess implements AutoCloseable {

    private static final String END = "";
    private static final int REMEMBERED_LINES = 40;

    private final String name;
    private final Process process;
    private final Thread killer;
    private final PrintWriter input;
    private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();
    private final List<String> events = new ArrayList<>();
    private final Queue<String> seen = new ArrayDeque<>();

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

    /** Starts a Java program in the same version of Java. */
    static ChildProcess startJava(Class<?> program, String classPath, List<String> jvmOptions, List<String> arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(jvmOptions);
        command.addAll(List.of("-cp", classPath, program.getName()));
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
            lines.add(closed.toString());
        }
        lines.add(END);
    }

    /** Writes a line to its standard input. */
    void tell(String line) {
        input.println(line);
    }

    /** Waits for an event and returns its line; fails with what was printed last if it does not come. Other events stay. */
    String await(String event, long seconds) {
        for (String line : events) {
            if (JsonLine.isEvent(line, event)) {
                events.remove(line);
                return line;
            }
        }
        long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        while (true) {
            String line = poll(deadlineNs);
            if (line == null || line.equals(END)) {
                throw new IllegalStateException(
                    name + (line == null ? ": no " : " ended without ") + event + "; it printed " + seen);
            }
            remember(line);
            if (JsonLine.isEvent(line, event)) {
                return line;
            }
            if (JsonLine.isEvent(line, "error")) {
                throw new IllegalStateException(name + ": " + line);
            }
            if (line.startsWith("{")) {
                events.add(line);
            }
        }
    }

    private @Nullable String poll(long deadlineNs) {
        try {
            return lines.poll(Math.max(0, deadlineNs - System.nanoTime()), TimeUnit.NANOSECONDS);
        } catch (InterruptedException interrupted) {
            throw new IllegalStateException("interrupted", interrupted);
        }
    }

    private void remember(String line) {
        seen.add(line);
        if (seen.size() > REMEMBERED_LINES) {
            seen.remove();
        }
    }

    /** Ends its standard input, on which it ends, and waits for that; if it takes too long, it is killed. */
    void end(long seconds) {
        input.close();
        try {
            process.waitFor(seconds, TimeUnit.SECONDS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
        close();
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

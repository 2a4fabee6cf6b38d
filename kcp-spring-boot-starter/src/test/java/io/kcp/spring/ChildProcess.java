package io.kcp.spring;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A program in a child process, which close() kills. */
public final class ChildProcess implements AutoCloseable {

    private final Process process;
    private final Thread reader;
    private final BlockingQueue<String> unread = new LinkedBlockingQueue<>();
    private final List<String> lines = Collections.synchronizedList(new ArrayList<>());

    private ChildProcess(Process process) {
        this.process = process;
        reader = new Thread(this::read, "output of child");
        reader.setDaemon(true);
        reader.start();
    }

    /** Starts a main class of the test class path. */
    public static ChildProcess java(Class<?> main, String... arguments) throws IOException {
        List<String> all = new ArrayList<>(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        all.addAll(List.of(arguments));
        return java(all.toArray(String[]::new));
    }

    /** Starts the Java launcher that runs the tests, with its arguments. */
    public static ChildProcess java(String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx256m",
            "-XX:TieredStopAtLevel=1"));
        command.addAll(List.of(arguments));
        return start(command);
    }

    /** Starts a kcp-go peer that {@code src/interop/install.sh} has built. It exits when its standard input is closed. */
    public static ChildProcess kcpGo(String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(Path.of("..", "src", "interop", "build", "kcppeer-5.6.72").toString()));
        command.addAll(List.of(arguments));
        command.add("--stdin-eof");
        return start(command);
    }

    private static ChildProcess start(List<String> command) throws IOException {
        return new ChildProcess(new ProcessBuilder(command).redirectErrorStream(true).start());
    }

    private void read() {
        try (BufferedReader output = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                lines.add(line);
                unread.add(line);
            }
        } catch (IOException closed) {
            throw new UncheckedIOException(closed);
        }
    }

    /** Waits for a line with a prefix and returns the rest of the line. */
    public String await(String prefix, long seconds) throws InterruptedException {
        long untilNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        while (true) {
            String line = unread.poll(untilNanos - System.nanoTime(), TimeUnit.NANOSECONDS);
            if (line == null) {
                throw new AssertionError("no line \"" + prefix + "\" within " + seconds + " s in:\n" + String.join("\n", lines));
            }
            if (line.startsWith(prefix)) {
                return line.substring(prefix.length());
            }
        }
    }

    /** Sends SIGTERM, like an operating system or a container runtime. */
    public void terminate() {
        // Process.destroy() would also close its output.
        process.toHandle().destroy();
    }

    /** Waits until the process exits and returns its exit code. */
    public int exit(long seconds) throws InterruptedException {
        if (!process.waitFor(seconds, TimeUnit.SECONDS)) {
            throw new AssertionError("still running after " + seconds + " s:\n" + String.join("\n", lines));
        }
        reader.join(TimeUnit.SECONDS.toMillis(seconds));
        return process.exitValue();
    }

    /** Returns the lines that have been read; all lines after {@link #exit}. */
    public List<String> lines() {
        return List.copyOf(lines);
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}

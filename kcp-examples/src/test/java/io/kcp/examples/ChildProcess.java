package io.kcp.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A program in a child process, whose output is read line by line. {@link #close} kills the process. */
final class ChildProcess implements AutoCloseable {

    /** Marker that is added to the unread lines when the output ends. */
    private static final String END = "\0";

    private final String name;
    private final Process process;
    private final Thread reader;
    private final BlockingQueue<String> unread = new LinkedBlockingQueue<>();
    private final List<String> lines = Collections.synchronizedList(new ArrayList<>());

    private ChildProcess(String name, Process process) {
        this.name = name;
        this.process = process;
        reader = new Thread(this::read, "output of " + name);
        reader.setDaemon(true);
        reader.start();
    }

    /** Starts a program in the current directory. Its output includes its error output. */
    static ChildProcess start(List<String> command) throws IOException {
        return start(new ProcessBuilder(command).redirectErrorStream(true));
    }

    /** Starts a program in a directory, with additional environment variables. Its output includes its error output. */
    static ChildProcess start(List<String> command, Path directory, Map<String, String> environment) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command).directory(directory.toFile()).redirectErrorStream(true);
        builder.environment().putAll(environment);
        return start(builder);
    }

    /** Starts the Java launcher that runs the tests. The error output is that of the tests. */
    static ChildProcess java(String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
        command.addAll(List.of(arguments));
        return start(new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT));
    }

    private static ChildProcess start(ProcessBuilder builder) throws IOException {
        return new ChildProcess(String.join(" ", builder.command()), builder.start());
    }

    private void read() {
        try (BufferedReader output = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                lines.add(line);
                unread.add(line);
            }
        } catch (IOException closed) {
            unread.add(closed.toString());
        }
        unread.add(END);
    }

    /** Returns the next line of the output. Fails if the program prints none in time or exits. */
    String nextLine(long seconds) throws InterruptedException {
        String line = unread.poll(seconds, TimeUnit.SECONDS);
        assertThat(isLine(line)).as("next line of %s, which printed:%n%s", name, output()).isTrue();
        return line;
    }

    private static boolean isLine(@Nullable String line) {
        return line != null && !line.equals(END);
    }

    /** Waits until the program has exited with code 0, and returns its output. */
    String awaitSuccess(long seconds) throws InterruptedException {
        assertThat(process.waitFor(seconds, TimeUnit.SECONDS)).as("%s exits; it printed:%n%s", name, output()).isTrue();
        reader.join(TimeUnit.SECONDS.toMillis(seconds));
        assertThat(process.exitValue()).as("exit code of %s, which printed:%n%s", name, output()).isZero();
        return output();
    }

    /** Returns the lines that the program has printed so far. */
    String output() {
        synchronized (lines) {
            return lines.isEmpty() ? "" : String.join("\n", lines) + "\n";
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}

package io.kcp.test;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * A program in a child process, whose output is read line by line. {@link #close} kills the program and its own child processes, and fails
 * if the program printed a report of Netty's leak detector. The exit of this JVM kills the program, too.
 */
public final class ChildProcess implements AutoCloseable {

    private static final int END_S = 10;
    /** Longest life in seconds of a bounded program. */
    private static final String LONGEST_LIFE = "600";
    /** Marker that is added to the unread lines when the output ends. */
    private static final String END = "\0";
    static final String LEAK = "LEAK: ";
    private static final String LEVEL = "io.netty.leakDetection.level";

    private final String name;
    private final Process process;
    private final List<Thread> readers = new ArrayList<>();
    private final BlockingQueue<String> unread = new LinkedBlockingQueue<>();
    private final List<String> lines = Collections.synchronizedList(new ArrayList<>());
    private final List<String> errors = Collections.synchronizedList(new ArrayList<>());
    private final Thread hook;

    private ChildProcess(String name, Process process, boolean separateErrors) {
        this.name = name;
        this.process = process;
        hook = new Thread(this::destroy, "end of " + name);
        Runtime.getRuntime().addShutdownHook(hook);
        read("output", this::readOutput);
        if (separateErrors) {
            read("errors", this::readErrors);
        }
    }

    private void read(String stream, Runnable reading) {
        Thread reader = new Thread(reading, stream + " of " + name);
        reader.setDaemon(true);
        reader.start();
        readers.add(reader);
    }

    /**
     * Starts a program. Unless the builder redirects the error stream, its lines are printed and are not part of the output.
     *
     * @param builder the command, its directory and its environment
     * @return the running program
     * @throws IOException if the program cannot be started
     */
    public static ChildProcess start(ProcessBuilder builder) throws IOException {
        return new ChildProcess(String.join(" ", builder.command()), builder.start(), !builder.redirectErrorStream());
    }

    /**
     * Starts a program in the current directory. Its output includes its error output.
     *
     * @param command the program and its arguments
     * @return the running program
     * @throws IOException if the program cannot be started
     */
    public static ChildProcess start(List<String> command) throws IOException {
        return start(new ProcessBuilder(command).redirectErrorStream(true));
    }

    /**
     * Starts a program without standard input that is terminated after ten minutes even if this JVM is killed before.
     *
     * @param command the program and its arguments
     * @return the running program
     * @throws IOException if the program {@code timeout} is missing
     */
    public static ChildProcess startBounded(List<String> command) throws IOException {
        List<String> bounded = new ArrayList<>(List.of("timeout", "-k", "5", LONGEST_LIFE));
        bounded.addAll(command);
        ChildProcess program = start(bounded);
        program.process.getOutputStream().close();
        return program;
    }

    /**
     * Starts a main class with the class path of this JVM, a small heap, the first JIT compiler and the leak detection of this JVM. The
     * program reports its leaks when it exits.
     *
     * @param main      the class
     * @param arguments its arguments
     * @return the running program
     * @throws IOException if the JVM cannot be started
     */
    public static ChildProcess java(Class<?> main, String... arguments) throws IOException {
        List<String> all = checked(main);
        all.addAll(0, List.of("-cp", System.getProperty("java.class.path")));
        all.addAll(List.of(arguments));
        return java(all.toArray(String[]::new));
    }

    /**
     * Returns the arguments of the Java launcher for a main class that detects leaks like this JVM and reports them when it exits.
     *
     * @param main the class
     * @return options, classes and nothing else, to which the arguments of the program can be added
     */
    public static List<String> checked(Class<?> main) {
        return new ArrayList<>(List.of("-D" + LEVEL + '=' + System.getProperty(LEVEL, "simple"), CheckedProgram.class.getName(),
            main.getName()));
    }

    /**
     * Starts the Java launcher that runs this JVM, with a small heap and the first JIT compiler. Its output includes its error output.
     *
     * @param arguments further arguments of the launcher
     * @return the running program
     * @throws IOException if the JVM cannot be started
     */
    public static ChildProcess java(String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(javaLauncher(), "-Xmx256m", "-XX:TieredStopAtLevel=1"));
        command.addAll(List.of(arguments));
        return start(command);
    }

    /**
     * Returns the path of the Java launcher that runs this JVM.
     *
     * @return the path
     */
    public static String javaLauncher() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }

    private void readOutput() {
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

    private void readErrors() {
        PrintStream console = System.err;
        try (BufferedReader stream = process.errorReader(StandardCharsets.UTF_8)) {
            for (String line = stream.readLine(); line != null; line = stream.readLine()) {
                errors.add(line);
                console.println(line);
            }
        } catch (IOException closed) {
            errors.add(closed.toString());
        }
    }

    /**
     * Returns the next unread line of the output. Fails if the program prints none in time or exits.
     *
     * @param seconds the time limit
     * @return the line
     * @throws InterruptedException if the current thread is interrupted
     */
    public String nextLine(long seconds) throws InterruptedException {
        return nextLine(System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds), "a line");
    }

    /**
     * Skips lines until one has a prefix. Fails if the program prints none in time or exits.
     *
     * @param prefix  the beginning of the line
     * @param seconds the time limit
     * @return the rest of the line
     * @throws InterruptedException if the current thread is interrupted
     */
    public String await(String prefix, long seconds) throws InterruptedException {
        long deadlineNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        while (true) {
            String line = nextLine(deadlineNanos, '"' + prefix + '"');
            if (line.startsWith(prefix)) {
                return line.substring(prefix.length());
            }
        }
    }

    private String nextLine(long deadlineNanos, String wanted) throws InterruptedException {
        String line = unread.poll(deadlineNanos - System.nanoTime(), TimeUnit.NANOSECONDS);
        if (END.equals(line)) {
            unread.add(END);
        }
        if (line == null || line.equals(END)) {
            throw new AssertionError(name + (line == null ? " did not print " + wanted + " in time" : " exited before it printed " + wanted)
                + "; it printed:\n" + output());
        }
        return line;
    }

    /**
     * Writes a line to the standard input of the program.
     *
     * @param line the line without its line feed
     * @throws IOException if the program has closed its standard input
     */
    public void send(String line) throws IOException {
        process.outputWriter(StandardCharsets.UTF_8).append(line).append('\n').flush();
    }

    /**
     * Waits until the program exits. Fails if it runs longer.
     *
     * @param seconds the time limit
     * @return the exit code
     * @throws InterruptedException if the current thread is interrupted
     */
    public int exitCode(long seconds) throws InterruptedException {
        if (!process.waitFor(seconds, TimeUnit.SECONDS)) {
            throw new AssertionError(name + " is still running after " + seconds + " s; it printed:\n" + output());
        }
        awaitReaders(seconds);
        return process.exitValue();
    }

    /**
     * Waits until the program has exited with code 0.
     *
     * @param seconds the time limit
     * @return the whole output
     * @throws InterruptedException if the current thread is interrupted
     */
    public String awaitSuccess(long seconds) throws InterruptedException {
        int code = exitCode(seconds);
        if (code != 0) {
            throw new AssertionError(name + " exited with code " + code + "; it printed:\n" + output());
        }
        return output();
    }

    private void awaitReaders(long seconds) throws InterruptedException {
        for (Thread reader : readers) {
            reader.join(TimeUnit.SECONDS.toMillis(seconds));
        }
    }

    /**
     * Returns {@code true} if the program is running.
     *
     * @return {@code true} until the program has exited
     */
    public boolean isAlive() {
        return process.isAlive();
    }

    /**
     * Returns the lines that have been read; all lines after {@link #exitCode}.
     *
     * @return a copy
     */
    public List<String> lines() {
        return List.copyOf(lines);
    }

    /**
     * Returns the lines that have been read, each with a line feed.
     *
     * @return the output
     */
    public String output() {
        return lines().isEmpty() ? "" : String.join("\n", lines()) + "\n";
    }

    /** Sends SIGTERM, like an operating system or a container runtime. */
    public void terminate() {
        // Process.destroy() would also close its output.
        process.toHandle().destroy();
    }

    /**
     * Sends a signal to the child processes of this one. For a bounded program, these are the program itself.
     *
     * @param signal the name, such as {@code STOP}
     * @throws IOException if the program {@code kill} is missing
     */
    public void signalChildren(String signal) throws IOException {
        List<String> command = new ArrayList<>(List.of("kill", "-s", signal));
        process.descendants().forEach(program -> command.add(Long.toString(program.pid())));
        try {
            int code = new ProcessBuilder(command).inheritIO().start().waitFor();
            if (code != 0) {
                throw new AssertionError(String.join(" ", command) + " exited with code " + code);
            }
        } catch (InterruptedException interrupted) {
            throw new AssertionError(interrupted);
        }
    }

    private List<ProcessHandle> destroy() {
        List<ProcessHandle> programs = new ArrayList<>(process.descendants().toList());
        programs.add(process.toHandle());
        programs.forEach(ProcessHandle::destroyForcibly);
        return programs;
    }

    /** Kills the program and its child processes, waits until they have exited, and fails if the program reported a leak. */
    @Override
    public void close() {
        destroy().forEach(program -> program.onExit().orTimeout(END_S, TimeUnit.SECONDS).join());
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
            awaitReaders(END_S);
        } catch (IllegalStateException shuttingDown) {
            // The shutdown hook is running.
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
        failIfLeaked(lines());
        failIfLeaked(List.copyOf(errors));
    }

    private void failIfLeaked(List<String> printed) {
        for (int i = 0; i < printed.size(); i++) {
            if (printed.get(i).contains(LEAK)) {
                String report = name + " printed:\n" + String.join("\n", printed.subList(i, printed.size()));
                LeakReports.add(report);
                throw new AssertionError(report);
            }
        }
    }

    @Override
    public String toString() {
        return name;
    }
}

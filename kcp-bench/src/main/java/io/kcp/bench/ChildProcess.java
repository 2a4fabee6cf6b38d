package io.kcp.bench;

import io.kcp.bench.rig.ProcessStats;
import java.io.BufferedReader;
import java.io.IOException;
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
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/**
 * A child process that prints JSON events and reads commands from standard input. It is killed when this process exits. A process that
 * reports a leaked buffer has failed.
 */
public final class ChildProcess implements AutoCloseable {

    private static final String END_OF_OUTPUT = "";
    private static final int REMEMBERED_LINES = 40;
    /** Start of a report of Netty's leak detector. */
    private static final String LEAK = "LEAK: ";

    private final String name;
    private final Process process;
    private final OwnedProcess owned;
    private final PrintWriter input;
    private final Thread reader;
    private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();
    private final List<JsonNode> unclaimedEvents = new ArrayList<>();
    private final Queue<String> lastLines = new ArrayDeque<>();

    private ChildProcess(String name, Process process) {
        this.name = name;
        this.process = process;
        input = new PrintWriter(process.outputWriter(StandardCharsets.UTF_8), true);
        owned = new OwnedProcess(process);
        reader = new Thread(this::read, "output of " + name);
        reader.setDaemon(true);
        reader.start();
    }

    /** Starts a process. The name appears in error messages. */
    public static ChildProcess start(String name, List<String> command) {
        try {
            return new ChildProcess(name, new ProcessBuilder(command).redirectErrorStream(true).start());
        } catch (IOException failure) {
            throw new IllegalStateException("cannot start " + String.join(" ", command), failure);
        }
    }

    /** Returns the path of the Java launcher of the JVM that runs this process. */
    public static String java() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }

    private void read() {
        try (BufferedReader reader = process.inputReader(StandardCharsets.UTF_8)) {
            reader.lines().filter(line -> !line.isEmpty()).forEach(lines::add);
        } catch (IOException | RuntimeException failure) {
            lines.add(failure.toString());
        }
        lines.add(END_OF_OUTPUT);
    }

    /** Returns {@code true} if the process has not exited. */
    public boolean isAlive() {
        return process.isAlive();
    }

    /** Returns the resident memory of the process in bytes. */
    public long residentBytes() {
        return ProcessStats.residentBytes(Long.toString(process.pid()));
    }

    /** Returns the CPU time of the process. */
    public CpuTime cpuTime() {
        return CpuTime.of(process.pid());
    }

    /** Returns the id of the process. */
    public long pid() {
        return process.pid();
    }

    /** Kills the process without waiting for its end. */
    public void kill() {
        process.destroyForcibly();
    }

    /** Writes a command to the standard input of the process. */
    public void send(String command) {
        input.println(command);
    }

    /** Sends a command and waits for the event with the same name as the command. */
    public JsonNode ask(String command, long timeoutSeconds) throws InterruptedException {
        send(command);
        return await(command, timeoutSeconds);
    }

    /**
     * Waits for an event from the process and returns it. Other events are kept for later calls. If the event does not arrive in time, if
     * the process exits or if it prints {@code error}, throws an exception with the last lines of its output.
     */
    public JsonNode await(String event, long timeoutSeconds) throws InterruptedException {
        for (JsonNode unclaimed : unclaimedEvents) {
            if (Json.isEvent(unclaimed, event)) {
                unclaimedEvents.remove(unclaimed);
                return unclaimed;
            }
        }
        long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(timeoutSeconds);
        while (true) {
            String line = lines.poll(Math.max(0, deadlineNs - System.nanoTime()), TimeUnit.NANOSECONDS);
            if (line == null || line.equals(END_OF_OUTPUT)) {
                throw new IllegalStateException(name + (line == null ? " did not print " + event + " within " + timeoutSeconds + " s"
                    : " exited before it printed " + event) + "; its last output was " + lastLines);
            }
            failIfLeaked(line);
            lastLines.add(line);
            if (lastLines.size() > REMEMBERED_LINES) {
                lastLines.remove();
            }
            JsonNode json = parse(line);
            if (Json.isEvent(json, event)) {
                return json;
            }
            if (Json.isEvent(json, "error")) {
                throw new IllegalStateException(name + ": " + line);
            }
            if (json.isObject()) {
                unclaimedEvents.add(json);
            }
        }
    }

    private void failIfLeaked(String line) {
        if (line.contains(LEAK)) {
            throw new IllegalStateException(name + " leaked a buffer: " + line + lines.stream().limit(REMEMBERED_LINES).toList());
        }
    }

    /** Parses a line as JSON. Returns a missing node for warnings and stack traces, which are not JSON. */
    private static JsonNode parse(String line) {
        try {
            return line.startsWith("{") ? Json.MAPPER.readTree(line) : Json.MAPPER.missingNode();
        } catch (JacksonException notJson) {
            return Json.MAPPER.missingNode();
        }
    }

    /**
     * Closes the standard input of the process and waits for the process to exit. Kills the process after the timeout. Fails if the process
     * has reported a leaked buffer.
     */
    public void end(long timeoutSeconds) throws InterruptedException {
        input.close();
        process.waitFor(timeoutSeconds, TimeUnit.SECONDS);
        close();
        reader.join(TimeUnit.SECONDS.toMillis(timeoutSeconds));
        lines.forEach(this::failIfLeaked);
    }

    @Override
    public void close() {
        owned.close();
    }
}

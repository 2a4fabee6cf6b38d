package io.kcp.examples;

import io.kcp.test.ChildProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A live peer in a separate process, which prints one JSON object per line. See {@code src/interop/go/README.md}. */
final class PeerProcess implements AutoCloseable {

    private static final Path INTEROP = Path.of("..", "src", "interop");

    private final ChildProcess process;

    private PeerProcess(ChildProcess process) {
        this.process = process;
    }

    /** Returns {@code true} if {@code src/interop/install.sh} has built the peer. */
    static boolean isInstalled(String peer) {
        return Files.isExecutable(program(peer));
    }

    private static Path program(String peer) {
        return INTEROP.resolve("build").resolve(peer.equals("c") ? "venv/bin/python" : peer);
    }

    /** Starts a peer, whose process exits when the pipe to its standard input is closed. */
    static PeerProcess start(String peer, String role, List<String> options) throws IOException {
        return start(List.of(), peer, role, options);
    }

    /** Starts a peer like {@link #start(String, String, List)}, with a command that begins with the given words. */
    static PeerProcess start(List<String> prefix, String peer, String role, List<String> options) throws IOException {
        List<String> command = new ArrayList<>(prefix);
        command.add(program(peer).toString());
        if (peer.equals("c")) {
            command.add(INTEROP.resolve("c/peer.py").toString());
        }
        command.add(role);
        command.addAll(options);
        command.add("--stdin-eof");
        return new PeerProcess(ChildProcess.start(command));
    }

    /** Starts a Java program that prints the events of a peer, with a command that begins with the given words. */
    static PeerProcess startJava(List<String> prefix, Class<?> main, List<String> options) throws IOException {
        List<String> command = new ArrayList<>(prefix);
        command.addAll(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx256m",
            "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Dio.netty.machineId=00:00:00:00:00:00:00:01", "-cp",
            System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"))));
        command.addAll(ChildProcess.checked(main));
        command.addAll(options);
        return new PeerProcess(ChildProcess.start(command));
    }

    /** Waits for an event and returns its line. Fails with the output of the process if the event does not occur. */
    String await(String event, long seconds) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        while (true) {
            String line = process.nextLine(Math.max(1, TimeUnit.NANOSECONDS.toSeconds(deadline - System.nanoTime())));
            if (line.startsWith("{\"event\":\"" + event + "\"")) {
                return line;
            }
            if (line.startsWith("{\"event\":\"error\"")) {
                throw new AssertionError(process.output());
            }
        }
    }

    /** Returns the value of a field of an event. */
    static String field(String line, String field) {
        Matcher matcher = Pattern.compile("\"" + field + "\":\"?([^,\"}]*)").matcher(line);
        if (!matcher.find()) {
            throw new AssertionError("no " + field + " in " + line);
        }
        return matcher.group(1);
    }

    @Override
    public void close() {
        process.close();
    }
}

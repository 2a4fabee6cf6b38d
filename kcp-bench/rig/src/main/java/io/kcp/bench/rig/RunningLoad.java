package io.kcp.bench.rig;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.channels.Channels;
import java.nio.channels.Pipe;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A server or client of a load program that runs in this process. */
public final class RunningLoad implements AutoCloseable {

    /** Command line of a load program, such as {@link LoadProgram#run}. */
    public interface Program {

        /** Runs the command with the given standard input and output, and returns its exit code. */
        int run(InputStream in, PrintStream out, String... arguments);
    }

    private static final int TIMEOUT_SECONDS = 60;
    private static final JsonMapper MAPPER = new JsonMapper();

    // A PipedInputStream would fail when the thread that wrote the last command has ended.
    private final Pipe pipe = Pipe.open();
    private final OutputStream input = Channels.newOutputStream(pipe.sink());
    private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();
    private final CompletableFuture<Integer> exitCode = new CompletableFuture<>();

    private RunningLoad(Program program, String... arguments) throws IOException {
        InputStream in = Channels.newInputStream(pipe.source());
        PrintStream out = new PrintStream(new LineCollector(lines), true, StandardCharsets.UTF_8);
        new Thread(() -> exitCode.complete(program.run(in, out, arguments)), "load").start();
    }

    /** Starts the program with arguments separated by spaces. */
    public static RunningLoad start(Program program, String arguments) throws IOException {
        return new RunningLoad(program, arguments.strip().split("\\s+"));
    }

    /** Writes a command to standard input. */
    public void send(String command) throws IOException {
        input.write((command + '\n').getBytes(StandardCharsets.UTF_8));
        input.flush();
    }

    /**
     * Returns the next event.
     *
     * @throws AssertionError if there is none, or if it has another name
     */
    public JsonNode await(String event) throws InterruptedException {
        String line = lines.poll(TIMEOUT_SECONDS, TimeUnit.SECONDS);
        if (line == null) {
            throw new AssertionError("expected event: " + event + ", got none");
        }
        JsonNode json = MAPPER.readTree(line);
        if (!json.path("event").asString("").equals(event)) {
            throw new AssertionError("expected event: " + event + ", got " + line);
        }
        return json;
    }

    /** Returns the port of a server from its first event. */
    public int port() throws InterruptedException {
        return await("ready").path("port").asInt();
    }

    /** Sends a command and returns the event with the same name. */
    public JsonNode ask(String command) throws IOException, InterruptedException {
        send(command);
        return await(command);
    }

    /** Ends standard input and returns the exit code. */
    public int end() throws IOException {
        input.close();
        return exitCode();
    }

    /** Waits until the program has ended, and returns its exit code. */
    public int exitCode() {
        return exitCode.orTimeout(TIMEOUT_SECONDS, TimeUnit.SECONDS).join();
    }

    @Override
    public void close() throws IOException {
        end();
    }

    private static final class LineCollector extends OutputStream {

        private final BlockingQueue<String> lines;
        private final StringBuilder line = new StringBuilder();

        LineCollector(BlockingQueue<String> lines) {
            this.lines = lines;
        }

        @Override
        public synchronized void write(int character) {
            if (character == '\n') {
                lines.add(line.toString());
                line.setLength(0);
            } else {
                line.append((char) character);
            }
        }
    }
}

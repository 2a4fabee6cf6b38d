package io.kcp.bench;

import static org.assertj.core.api.Assertions.assertThat;

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

/** A server or client of {@link KcpLoad} that runs in this process. */
final class RunningLoad implements AutoCloseable {

    private static final int TIMEOUT_SECONDS = 60;

    // A PipedInputStream would fail when the thread of Awaitility that wrote the last command has ended.
    private final Pipe pipe = Pipe.open();
    private final OutputStream input = Channels.newOutputStream(pipe.sink());
    private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();
    private final CompletableFuture<Integer> exitCode = new CompletableFuture<>();

    private RunningLoad(String... arguments) throws IOException {
        InputStream in = Channels.newInputStream(pipe.source());
        PrintStream out = new PrintStream(new LineCollector(lines), true, StandardCharsets.UTF_8);
        new Thread(() -> exitCode.complete(KcpLoad.run(in, out, arguments)), "load").start();
    }

    /** Starts the program with arguments separated by spaces. */
    static RunningLoad start(String arguments) throws IOException {
        return new RunningLoad(arguments.strip().split("\\s+"));
    }

    void send(String command) throws IOException {
        input.write((command + '\n').getBytes(StandardCharsets.UTF_8));
        input.flush();
    }

    /** Returns the next event, which must have this name. */
    JsonNode await(String event) throws InterruptedException {
        String line = lines.poll(TIMEOUT_SECONDS, TimeUnit.SECONDS);
        assertThat(line).as("expected event: %s", event).isNotNull();
        JsonNode json = Json.MAPPER.readTree(line);
        assertThat(Json.isEvent(json, event)).as("expected event: %s, got %s", event, line).isTrue();
        return json;
    }

    /** Sends a command and returns the event with the same name. */
    JsonNode ask(String command) throws IOException, InterruptedException {
        send(command);
        return await(command);
    }

    /** Ends standard input and returns the exit code. */
    int end() throws IOException {
        input.close();
        return exitCode();
    }

    int exitCode() {
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

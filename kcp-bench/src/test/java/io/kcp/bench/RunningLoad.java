package io.kcp.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** One end of {@link KcpLoad} in this process. */
final class RunningLoad implements AutoCloseable {

    private final PipedOutputStream input = new PipedOutputStream();
    private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();
    private final CompletableFuture<Integer> exitCode;

    private RunningLoad(String... arguments) throws IOException {
        PipedInputStream in = new PipedInputStream(input);
        PrintStream out = new PrintStream(new LineCollector(lines), true, StandardCharsets.UTF_8);
        exitCode = new CompletableFuture<>();
        new Thread(() -> exitCode.complete(KcpLoad.run(in, out, arguments)), "load").start();
    }

    /** Starts with a line of arguments. */
    static RunningLoad start(String arguments) throws IOException {
        return new RunningLoad(arguments.strip().split("\\s+"));
    }

    void tell(String line) throws IOException {
        input.write((line + '\n').getBytes(StandardCharsets.UTF_8));
        input.flush();
    }

    /** Returns the next line, which must be that event. */
    String await(String event) throws InterruptedException {
        String line = lines.poll(60, TimeUnit.SECONDS);
        assertThat(line).as("expected: %s", event).isNotNull().startsWith("{\"event\":\"" + event + '"').endsWith("}");
        return line;
    }

    /** Ends its standard input; returns its exit code. */
    int end() throws IOException {
        input.close();
        return exitCode.orTimeout(60, TimeUnit.SECONDS).join();
    }

    int exitCode() {
        return exitCode.orTimeout(60, TimeUnit.SECONDS).join();
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

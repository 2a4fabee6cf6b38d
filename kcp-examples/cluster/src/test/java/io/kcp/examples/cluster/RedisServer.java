package io.kcp.examples.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kcp.examples.arena.Tool;
import io.kcp.test.ChildProcess;
import io.kcp.test.FreePort;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** Redis server on a free port of the loopback interface, with the settings of the guide and its files in a directory of the test. */
final class RedisServer implements AutoCloseable {

    private static final Duration START = Duration.ofSeconds(60);

    private final Path directory;
    private final int port;
    private ChildProcess process;

    private RedisServer(Path directory) throws IOException {
        this.directory = directory;
        port = FreePort.find();
        Tool.settings("redis.conf", directory, Map.of("ADDRESS", "127.0.0.1", "PORT", Integer.toString(port),
            "DIRECTORY", directory.toString(), "MEMORY", "256mb"));
        start();
    }

    /** Starts Redis, or skips the test if Redis is not installed. */
    static RedisServer start(Path directory) throws IOException {
        return new RedisServer(directory);
    }

    String uri() {
        return "redis://127.0.0.1:" + port;
    }

    int port() {
        return port;
    }

    /** Restarts the server after {@link #kill}. */
    void start() throws IOException {
        process = ChildProcess.startBounded(List.of(Tool.find("redis-server"), directory.resolve("redis.conf").toString()));
        await("Redis responds").atMost(START).ignoreExceptions()
            .untilAsserted(() -> assertThat(answers()).as(process.output()).isTrue());
    }

    /** Kills the server with SIGKILL, as a crash would. */
    void kill() {
        process.close();
    }

    private boolean answers() throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(1000);
            socket.getOutputStream().write("PING\r\n".getBytes(StandardCharsets.US_ASCII));
            byte[] answer = socket.getInputStream().readNBytes(7);
            return new String(answer, StandardCharsets.US_ASCII).equals("+PONG\r\n");
        }
    }

    @Override
    public void close() {
        process.close();
    }
}

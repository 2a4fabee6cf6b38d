package io.kcp.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/** Runs every program for a moment: that it works, not how fast. */
@Timeout(60)
class ProgramsTest {

    @ParameterizedTest
    @CsvSource({
        "sink-server, source-client --seconds 0.2 --warmup 0.1",
        "echo-server, echo-client --seconds 0.2 --warmup 0.1 --connections 2 --transport NIO",
        "echo-server, pingpong-client --count 200 --warmup-count 20"})
    void loads(String server, String client) throws IOException {
        String port = Integer.toString(freePort());
        CompletableFuture<Integer> serving =
            CompletableFuture.supplyAsync(() -> load(server, "--listen", port, "--warmup", "0.1", "--idle-ms", "300"));
        List<String> arguments = new ArrayList<>(List.of(client.split(" ")));
        arguments.addAll(List.of("--connect", port));
        assertThat(load(arguments.toArray(String[]::new))).isZero();
        assertThat(serving.join()).isZero();
    }

    private static int load(String... arguments) {
        return new CommandLine(new KcpLoad()).execute(arguments);
    }

    private static int freePort() throws IOException {
        try (DatagramSocket socket = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    @Test
    void measuresIdleSessions() {
        assertThat(idle("memory", "--few", "20", "--many", "40", "--settle-ms", "100", "--histogram", "3")).isZero();
        assertThat(idle("quiet", "--sessions", "20", "--settle-ms", "100", "--seconds", "1")).isZero();
    }

    private static int idle(String... arguments) {
        return new CommandLine(new IdleSessions()).execute(arguments);
    }
}

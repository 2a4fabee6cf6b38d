package io.kcp.bench.rig;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Runs each workload briefly over TCP, and checks only that it works, not how fast it is. */
@Timeout(180)
class LoadProgramTest {

    private static final String SHORT = " --seconds 0.2 --warmup 0.1 ";

    private static int run(InputStream in, PrintStream out, String... arguments) {
        return LoadProgram.run("local", new LocalProtocol.Local(), new LocalProtocol.Local(), in, out, arguments);
    }

    private static RunningLoad start(String arguments) throws IOException {
        return RunningLoad.start(LoadProgramTest::run, arguments + " --quiet --threads 2");
    }

    private static RunningLoad startClient(RunningLoad server, String options) throws IOException, InterruptedException {
        return start("client --connect " + server.port() + ' ' + options);
    }

    @ParameterizedTest
    @CsvSource({
        "sink, source, mb_s",
        "sink, source --write-bytes 64 --connections 3, mb_s",
        "echo, echo --connections 2, mb_s",
        "echo, echo --write-bytes 100000 --outstanding 1, mb_s",
        "echo, pingpong --count 200 --warmup-count 20, median_us",
        "echo --piece-bytes 5, pingpong --count 50 --warmup-count 0 --write-bytes 100 --piece-bytes 7, p99_us",
        "echo, churn --sessions 4, sessions_s",
        "packets, packets --connections 5 --max-payload-bytes 1, echoes_s"})
    void workloadsTransferData(String serverWork, String clientWork, String metric) throws Exception {
        try (RunningLoad server = start("server --work " + serverWork);
            RunningLoad client = startClient(server, "--work " + clientWork + SHORT)) {
            client.await("measuring");
            JsonNode result = client.await("result");
            assertThat(result.path(metric).asDouble(-1)).isNotNegative();
            assertThat(result.path("seconds").asDouble()).isPositive();
            assertThat(result.path("allocated_bytes").isNumber()).isTrue();
            assertThat(result.path("failures").asInt(0)).isZero();
            // On a busy machine, it is possible that no bytes have arrived yet. Each command makes the client continue.
            await().atMost(Duration.ofSeconds(60)).until(() -> {
                client.ask("mark");
                return server.ask("mark").path("bytes").asLong() > 0;
            });
            assertThat(client.ask("mark").path("bytes_sent").asLong()).isPositive();
            assertThat(client.end()).isZero();
            assertThat(server.end()).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "--piece-bytes 7", "--no-loop", "--idle-sessions 10"})
    @Tag("slow")
    void fleetReceivesAllScheduledMessages(String options) throws Exception {
        try (RunningLoad server = start("server --work echo");
            RunningLoad client = startClient(server, "--work fleet --sessions 30 --rate 20 --seconds 0.5 --warmup 0.2 " + options)) {
            client.await("measuring");
            JsonNode result = client.await("result");
            assertThat(result.path("sent").asInt()).isEqualTo(300);
            assertThat(result.path("received").asInt()).isEqualTo(300);
            assertThat(result.path("sockets").asInt()).isEqualTo(options.startsWith("--idle") ? 40 : 30);
            assertThat(result.path("max_us").asDouble()).isGreaterThanOrEqualTo(result.path("p50_us").asDouble()).isPositive();
        }
    }

    @Test
    @Tag("slow")
    void fleetContinuesAfterTheResult() throws Exception {
        try (RunningLoad server = start("server --work echo");
            RunningLoad client = startClient(server, "--work fleet --sessions 5 --rate 100" + SHORT)) {
            client.await("measuring");
            client.await("result");
            long messages = server.ask("mark").path("messages").asLong();
            await().atMost(Duration.ofSeconds(30)).until(() -> {
                client.ask("mark");
                return server.ask("mark").path("messages").asLong() > messages + 50;
            });
        }
    }

    @ParameterizedTest
    @CsvSource({"200, 0", "200, 7", "8, 3"})
    @Tag("slow")
    void serverMeasuresDelayOfMessagesAfterTheWarmUp(int messageBytes, int pieceBytes) throws Exception {
        String bytes = " --write-bytes " + messageBytes;
        try (RunningLoad server = start("server --work delay --piece-bytes " + pieceBytes + bytes);
            RunningLoad client = startClient(server, "--work delay --sessions 3 --rate 100 --seconds 0.5 --warmup 0.2" + bytes)) {
            client.await("measuring");
            JsonNode result = client.await("result");
            assertThat(result.path("sent").asInt()).isEqualTo(150);
            assertThat(result.path("datagrams_out").asInt()).isEqualTo(1);
            await().atMost(Duration.ofSeconds(30)).until(() -> server.ask("delay").path("received").asInt() == 150);
            JsonNode delays = server.ask("delay");
            assertThat(delays.path("p50_ms").asDouble()).isPositive().isLessThanOrEqualTo(delays.path("max_ms").asDouble());
            assertThat(client.end()).isZero();
        }
    }

    @Test
    void idleClientOpensSessionsOnCommand() throws Exception {
        try (RunningLoad server = start("server --work echo --histogram 3");
            RunningLoad client = startClient(server, "--work idle")) {
            client.send("open 10");
            assertThat(client.await("opened").path("sessions").asInt()).isEqualTo(10);
            client.send("open 25");
            assertThat(client.await("opened").path("sessions").asInt()).isEqualTo(25);
            assertThat(server.ask("memory").path("live_bytes").asLong()).isPositive();
            assertThat(server.ask("memory").path("rss_bytes").asLong(-1)).isNotNegative();
            assertThat(client.end()).isZero();
            assertThat(server.end()).isZero();
        }
    }

    @Test
    @Tag("slow")
    void rehearsalSendsTheLoadToAnotherServerFirst() throws Exception {
        try (RunningLoad other = start("server --work sink");
            RunningLoad server = start("server --work sink");
            RunningLoad client = startClient(server, "--work source --rehearsal-port " + other.port() + SHORT)) {
            client.await("measuring");
            client.await("measuring");
            client.await("result");
            assertThat(other.ask("mark").path("bytes").asLong()).isPositive();
            assertThat(server.ask("mark").path("bytes").asLong()).isPositive();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"pingpong", "fleet --sessions 1", "pingpong --piece-bytes 7"})
    @Tag("slow")
    void changedReplyIsAnError(String work) throws Exception {
        try (RunningLoad server = start("server --work echo --corrupt");
            RunningLoad client = startClient(server, "--work " + work)) {
            assertThat(client.await("error").path("message").asString()).contains("the echo differs from the message");
            assertThat(client.exitCode()).isEqualTo(1);
        }
    }

    @Test
    @Tag("slow")
    void changedReplyIsAFailureOfChurn() throws Exception {
        try (RunningLoad server = start("server --work echo --corrupt");
            RunningLoad client = startClient(server, "--work churn --sessions 2 --seconds 1 --warmup 0")) {
            client.await("measuring");
            JsonNode result = client.await("result");
            assertThat(result.path("sessions").asInt(-1)).isZero();
            assertThat(result.path("failures").asInt()).isPositive();
        }
    }

    @Test
    void sessionClosedByTheServerFailsTheClient() throws Exception {
        RunningLoad server = start("server --work echo");
        try (RunningLoad client = startClient(server, "--work pingpong --count 100000000")) {
            client.await("measuring");
            server.end();
            assertThat(client.await("error").path("message").asString()).contains("the load program failed", "closed by its peer");
            assertThat(client.exitCode()).isEqualTo(1);
        }
    }

    @Test
    void churnClosesTheSessionsOfTheServer() throws Exception {
        try (RunningLoad server = start("server --work echo");
            RunningLoad client = startClient(server, "--work churn --sessions 4" + SHORT)) {
            client.await("measuring");
            JsonNode result = client.await("result");
            assertThat(result.path("sessions").asInt()).isPositive();
            assertThat(result.path("p99_us").asDouble()).isGreaterThanOrEqualTo(result.path("p50_us").asDouble());
        }
    }

    @Test
    void endOfInputBeforeTheResultIsAnError() throws Exception {
        try (RunningLoad server = start("server --work sink");
            RunningLoad client = startClient(server, "--work source --warmup 1000")) {
            assertThat(client.end()).isEqualTo(1);
            assertThat(client.await("error").path("message").asString())
                .contains("standard input was closed before the result was available", "sleep infinity |");
        }
    }

    @Test
    void endOfInputEndsIdleClient() throws Exception {
        try (RunningLoad server = start("server --work echo");
            RunningLoad client = startClient(server, "--work idle")) {
            assertThat(client.end()).isZero();
        }
    }

    @Test
    void endOfInputEndsClientThatWaitsForCommands() throws Exception {
        try (RunningLoad server = start("server --work sink");
            RunningLoad client = startClient(server, "--work source --linger-seconds 3600" + SHORT)) {
            client.await("measuring");
            client.await("result");
            assertThat(client.end()).isZero();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "server --work sink, marc, unknown command: marc",
        "server --work sink, open 5, unknown command: open 5"})
    void unknownCommandIsAnError(String program, String command, String message) throws Exception {
        try (RunningLoad server = start(program)) {
            server.await("ready");
            server.send(command);
            assertThat(server.await("error").path("message").asString()).contains(message);
            assertThat(server.exitCode()).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "server --work sink --no-such-option, --no-such-option, 2",
        "server --work source, a server must have, 1",
        "client --work sink --connect 1, only a server, 1",
        "client --work fleet --connect 1 --write-bytes 4, at least 8, 1"})
    void wrongOptionIsAnError(String arguments, String message, int exitCode) throws Exception {
        try (RunningLoad program = start(arguments)) {
            assertThat(program.await("error").path("message").asString()).contains(message);
            assertThat(program.exitCode()).isEqualTo(exitCode);
        }
    }

    @Test
    void progressLineContainsRatesPerSecond() {
        LoadMeter.Snapshot second = new LoadMeter.Snapshot(2_000_000_000, 1_000, 0, 4_000_000, 10, 2_000_000, 6);
        assertThat(LoadProgress.line("client echo", 7, second))
            .isEqualTo("client echo    7 s: in 2.0 MB/s, 5 messages/s; out 1.0 MB/s, 3 messages/s; CPU 50 %");
    }
}

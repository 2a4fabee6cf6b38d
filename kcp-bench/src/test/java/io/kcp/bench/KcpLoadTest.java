package io.kcp.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpServerBootstrap;
import io.kcp.netty.KcpServerChannel;
import io.kcp.netty.KcpTransport;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** Runs each workload briefly, and checks only that it works, not how fast it is. */
@Timeout(180)
class KcpLoadTest {

    private static final String SHORT = " --seconds 0.2 --warmup 0.1 --quiet ";

    @ParameterizedTest
    @CsvSource({
        "sink, source,",
        "sink, source, --write-bytes 64 --mode MESSAGE",
        "sink, source, --crypt aes-128 --fec 10:3",
        "echo, echo, --connections 2 --transport NIO --gso off --gro off",
        "echo, echo, --write-bytes 100000 --outstanding 1",
        "echo, echo, --connections 2 --blocking"})
    void bulkWorkloadsTransferBytes(String serverWork, String clientWork, String options) throws Exception {
        String clientOptions = options == null ? "" : options;
        String serverOptions = clientOptions.replaceAll("--(connections|write-bytes|outstanding) \\d+", "");
        try (RunningLoad server = RunningLoad.start("server --quiet --work " + serverWork + ' ' + serverOptions);
            RunningLoad client = startClient(server, clientWork, SHORT + clientOptions)) {
            client.await("measuring");
            JsonNode before = server.ask("mark");
            JsonNode result = client.await("result");
            assertThat(Json.number(result, "mb_s")).isNotNegative();
            assertThat(Json.number(result, "seconds")).isGreaterThanOrEqualTo(0.2);
            // On a busy machine, it is possible that no bytes have arrived yet. Each command makes the client continue.
            await().atMost(Duration.ofSeconds(60)).until(() -> {
                client.ask("mark");
                return Json.number(server.ask("mark"), "bytes") > Json.number(before, "bytes");
            });
            JsonNode after = server.ask("mark");
            assertThat(Json.number(after, "ns")).isGreaterThan(Json.number(before, "ns"));
            assertThat(Json.number(after, "messages")).isPositive();
            assertThat(Json.number(client.ask("mark"), "bytes_sent")).isPositive();
            assertThat(Json.number(server.ask("stats"), "datagrams_in")).isPositive();
        }
    }

    @ParameterizedTest
    @CsvSource({"KCP, 1000", "TCP, 1000", "KCP, 0", "TCP, 0"})
    void packetsAreEchoed(String protocol, int flushDelayUs) throws Exception {
        String options = "--quiet --protocol " + protocol + " --flush-delay-us " + flushDelayUs;
        try (RunningLoad server = RunningLoad.start("server --work packets " + options);
            RunningLoad client = startClient(server, "packets", "--seconds 0.3 --warmup 0.2 --connections 5 " + options)) {
            client.await("measuring");
            JsonNode result = client.await("result");
            assertThat(Json.number(result, "echoes_s")).isPositive();
            assertThat(Json.number(result, "p99_us")).isGreaterThanOrEqualTo(Json.number(result, "p50_us"));
            assertThat(Json.number(server.ask("mark"), "messages")).isPositive();
        }
    }

    @Test
    void pingPongCountsRoundTrips() throws Exception {
        try (RunningLoad server = RunningLoad.start("server --work echo --quiet");
            RunningLoad client = startClient(server, "pingpong", "--count 200 --warmup-count 20 --quiet")) {
            client.await("measuring");
            JsonNode result = client.await("result");
            assertThat(Json.number(result, "count")).isEqualTo(200);
            assertThat(Json.number(result, "median_us")).isPositive();
            assertThat(Json.number(result, "p99_us")).isGreaterThanOrEqualTo(Json.number(result, "median_us"));
        }
    }

    @ParameterizedTest
    @CsvSource({"--mode MESSAGE, 30", "--mode STREAM, 30", "--sockets 4 --idle-sessions 10, 4"})
    void fleetReceivesAllScheduledMessages(String options, int sockets) throws Exception {
        try (RunningLoad server = RunningLoad.start("server --work echo --quiet");
            RunningLoad client = startClient(server, "fleet", "--sessions 30 --rate 20 --seconds 0.5 --warmup 0.2 --quiet " + options)) {
            client.await("measuring");
            JsonNode result = client.await("result");
            assertThat(Json.number(result, "sent")).isEqualTo(300);
            assertThat(Json.number(result, "received")).isEqualTo(300);
            assertThat(Json.number(result, "sockets")).isEqualTo(sockets);
            assertThat(Json.number(result, "max_us")).isGreaterThanOrEqualTo(Json.number(result, "p50_us")).isPositive();
        }
    }

    @ParameterizedTest
    @CsvSource({"MESSAGE, 200", "STREAM, 200", "MESSAGE, 8"})
    void serverMeasuresDelayOfMessagesAfterTheWarmUp(String mode, int messageBytes) throws Exception {
        String options = " --quiet --mode " + mode + " --write-bytes " + messageBytes;
        try (RunningLoad server = RunningLoad.start("server --work delay" + options);
            RunningLoad client = startClient(server, "delay", "--sessions 3 --rate 100 --seconds 0.5 --warmup 0.2" + options)) {
            client.await("measuring");
            JsonNode result = client.await("result");
            assertThat(Json.number(result, "sent")).isEqualTo(150);
            assertThat(Json.number(result, "datagrams_out")).isPositive();
            await().atMost(Duration.ofSeconds(30)).until(() -> Json.number(server.ask("delay"), "received") == 150);
            JsonNode delays = server.ask("delay");
            assertThat(Json.number(delays, "p50_ms")).isPositive().isLessThanOrEqualTo(Json.number(delays, "max_ms"));
            assertThat(client.end()).isZero();
        }
    }

    @Test
    void idleClientOpensSessionsOnCommand() throws Exception {
        try (RunningLoad server = RunningLoad.start("server --work echo --quiet --keepalive-ms 0 --idle-timeout-ms 0 --histogram 3");
            RunningLoad client = startClient(server, "idle", "--quiet --keepalive-ms 0")) {
            client.send("open 10");
            assertThat(Json.number(client.await("opened"), "sessions")).isEqualTo(10);
            client.send("open 25");
            assertThat(Json.number(client.await("opened"), "sessions")).isEqualTo(25);
            assertThat(Json.number(server.ask("memory"), "live_bytes")).isPositive();
            assertThat(Json.number(server.ask("memory"), "rss_bytes")).isNotNegative();
            assertThat(Json.number(server.ask("stats"), "sessions")).isEqualTo(25);
            assertThat(client.end()).isZero();
            assertThat(server.end()).isZero();
        }
    }

    @Test
    void rehearsalSendsTheLoadToAnotherServerFirst() throws Exception {
        try (RunningLoad other = RunningLoad.start("server --work sink --quiet");
            RunningLoad server = RunningLoad.start("server --work sink --quiet");
            RunningLoad client = startClient(server, "source", "--rehearsal-port " + port(other) + SHORT)) {
            client.await("measuring");
            client.await("measuring");
            client.await("result");
            assertThat(Json.number(other.ask("mark"), "bytes")).isPositive();
            assertThat(Json.number(server.ask("mark"), "bytes")).isPositive();
        }
    }

    @Test
    void churnReplacesClosedSessions() throws Exception {
        try (RunningLoad server = RunningLoad.start("server --work echo --quiet --idle-timeout-ms 1000");
            RunningLoad client = startClient(server, "churn", "--sessions 4" + SHORT)) {
            client.await("measuring");
            JsonNode result = client.await("result");
            assertThat(Json.number(result, "sessions")).isPositive();
            assertThat(Json.number(server.ask("stats"), "sessions")).isGreaterThan(Json.number(result, "sessions"));
        }
    }

    @Test
    void scrapeContainsMetricsOfTheServer() throws Exception {
        MultiThreadIoEventLoopGroup group = new MultiThreadIoEventLoopGroup(1, KcpTransport.best().ioHandlerFactory());
        try {
            KcpServerChannel server = new KcpServerBootstrap().group(group)
                .childHandler(new ChannelInitializer<KcpChannel>() {
                    @Override
                    protected void initChannel(KcpChannel session) {
                        // This test opens no session.
                    }
                }).bind(new InetSocketAddress("127.0.0.1", 0)).sync().channel();
            try (MetricsScrape scrape = new MetricsScrape(server)) {
                assertThat(scrape.text()).contains("kcp_sessions_active{server=\"load\"} 0");
            }
        } finally {
            group.shutdownGracefully(0, 5, TimeUnit.SECONDS).sync();
        }
        try (RunningLoad load = RunningLoad.start("server --work echo --quiet --metrics");
            RunningLoad client = startClient(load, "echo", SHORT)) {
            client.await("measuring");
            client.await("result");
            assertThat(client.end()).isZero();
            assertThat(load.end()).isZero();
        }
    }

    @Test
    void endOfInputBeforeTheResultIsAnError() throws Exception {
        try (RunningLoad server = RunningLoad.start("server --work sink --quiet");
            RunningLoad client = startClient(server, "source", "--warmup 1000 --quiet")) {
            assertThat(client.end()).isEqualTo(1);
            assertThat(client.await("error").path("message").asString())
                .contains("standard input was closed before the result was available", "sleep infinity |");
        }
    }

    @Test
    void endOfInputEndsIdleClient() throws Exception {
        try (RunningLoad server = RunningLoad.start("server --work echo --quiet");
            RunningLoad client = startClient(server, "idle", "--quiet")) {
            assertThat(client.end()).isZero();
        }
    }

    @Test
    void endOfInputEndsClientThatWaitsForCommands() throws Exception {
        try (RunningLoad server = RunningLoad.start("server --work sink --quiet");
            RunningLoad client = startClient(server, "source", "--linger-seconds 3600" + SHORT)) {
            client.await("measuring");
            client.await("result");
            assertThat(client.end()).isZero();
        }
    }

    @Test
    void sessionWithoutResponseFailsTheClient() throws Exception {
        try (RunningLoad server = RunningLoad.start("server --work echo --quiet --crypt aes-128");
            RunningLoad client = startClient(server, "fleet", "--sessions 1 --idle-timeout-ms 500 --quiet")) {
            assertThat(client.await("error").path("message").asString()).contains("the load program failed", "idle timeout");
            assertThat(client.exitCode()).isEqualTo(1);
        }
    }

    @Test
    void unknownCommandIsAnError() throws Exception {
        try (RunningLoad server = RunningLoad.start("server --work sink --quiet")) {
            server.await("ready");
            server.send("marc");
            assertThat(server.await("error").path("message").asString()).contains("unknown command: marc");
            assertThat(server.exitCode()).isEqualTo(1);
        }
    }

    @Test
    void unknownOptionIsAnError() throws Exception {
        try (RunningLoad server = RunningLoad.start("server --work sink --no-such-option")) {
            assertThat(server.await("error").path("message").asString()).contains("--no-such-option");
            assertThat(server.exitCode()).isEqualTo(2);
        }
    }

    @Test
    void onlyIdleClientsOpenSessionsOnCommand() throws Exception {
        try (RunningLoad server = RunningLoad.start("server --work sink --quiet")) {
            server.await("ready");
            server.send("open 5");
            assertThat(server.await("error").path("message").asString()).contains("unknown command: open 5");
        }
    }

    @Test
    void progressLineContainsRatesPerSecond() {
        LoadMeter.Snapshot second = new LoadMeter.Snapshot(2_000_000_000, 1_000, 0, 4_000_000, 10, 2_000_000, 6);
        assertThat(LoadProgress.line("client echo", 7, second))
            .isEqualTo("client echo    7 s: in 2.0 MB/s, 5 messages/s; out 1.0 MB/s, 3 messages/s; CPU 50 %");
    }

    private static RunningLoad startClient(RunningLoad server, String work, String options) throws IOException, InterruptedException {
        return RunningLoad.start("client --connect " + port(server) + " --work " + work + ' ' + options);
    }

    private static int port(RunningLoad server) throws InterruptedException {
        return server.await("ready").path("port").asInt();
    }
}

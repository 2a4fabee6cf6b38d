package io.kcp.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kcp.bench.rig.RunningLoad;
import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpServerChannel;
import io.kcp.netty.bootstrap.KcpServerBootstrap;
import io.kcp.netty.bootstrap.KcpTransport;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Runs each workload briefly over this library. The tests of the rig check what does not depend on the library. */
@Timeout(180)
class KcpLoadTest {

    private static final String SHORT = " --seconds 0.2 --warmup 0.1 ";

    private static RunningLoad start(String arguments) throws IOException {
        return RunningLoad.start(KcpLoad::run, arguments + " --quiet");
    }

    private static RunningLoad startClient(RunningLoad server, String options) throws IOException, InterruptedException {
        return start("client --connect " + server.port() + ' ' + options);
    }

    @ParameterizedTest
    @CsvSource({
        "sink, source, '', mb_s",
        "sink, source --write-bytes 64, --mode MESSAGE, mb_s",
        "sink, source, --crypt aes-128 --fec 10:3, mb_s",
        "echo, echo --connections 2, --transport NIO --gso off --gro off, mb_s",
        "echo, echo --write-bytes 100000 --outstanding 1, '', mb_s",
        "echo, echo --connections 2, --blocking, mb_s",
        "echo, pingpong --count 200 --warmup-count 20, '', median_us",
        "echo, pingpong --count 200 --warmup-count 20 --write-bytes 5000, --spin, p99_us",
        "echo, churn --sessions 4, '', sessions_s",
        "packets, packets --connections 5, --protocol KCP --flush-delay-us 1000, echoes_s",
        "packets, packets --connections 5, --protocol TCP --flush-delay-us 1000, echoes_s",
        "packets, packets --connections 5, --protocol KCP --flush-delay-us 0, echoes_s",
        "packets, packets --connections 5, --protocol TCP --flush-delay-us 0, echoes_s"})
    @Tag("slow")
    void workloadsTransferData(String serverWork, String clientWork, String options, String metric) throws Exception {
        try (RunningLoad server = start("server --work " + serverWork + ' ' + options);
            RunningLoad client = startClient(server, "--work " + clientWork + SHORT + options)) {
            client.await("measuring");
            JsonNode result = client.await("result");
            assertThat(Json.number(result, metric)).isNotNegative();
            assertThat(Json.number(result, "seconds")).isPositive();
            assertThat(result.path("failures").asInt(0)).isZero();
            // On a busy machine, it is possible that no bytes have arrived yet. Each command makes the client continue.
            await().atMost(Duration.ofSeconds(60)).until(() -> {
                client.ask("mark");
                return Json.number(server.ask("mark"), "bytes") > 0;
            });
            assertThat(Json.number(client.ask("mark"), "bytes_sent")).isPositive();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"source", "pingpong --count 10000000"})
    @Tag("slow")
    void statisticsOfFewSessionsAreInTheMarks(String work) throws Exception {
        try (RunningLoad server = start("server --work " + (work.equals("source") ? "sink" : "echo"));
            RunningLoad client = startClient(server, "--warmup-count 100 --work " + work + SHORT)) {
            client.await("measuring");
            assertThat(Json.number(client.ask("stats"), "datagrams_out")).isPositive();
            JsonNode stats = server.ask("stats");
            assertThat(Json.number(stats, "datagrams_in")).isPositive();
            assertThat(Json.number(stats, "sessions")).isEqualTo(1);
            assertThat(Json.number(server.ask("listener"), "active")).isEqualTo(1);
        }
    }

    @Test
    void resultOfTheSourceContainsGarbagePerDatagram() throws Exception {
        try (RunningLoad server = start("server --work sink"); RunningLoad client = startClient(server, "--work source" + SHORT)) {
            client.await("measuring");
            JsonNode result = client.await("result");
            assertThat(Json.number(result, "datagrams")).isPositive();
            assertThat(Json.number(result, "garbage_bytes_per_datagram")).isNotNegative();
        }
    }

    @ParameterizedTest
    @CsvSource({"--mode MESSAGE, 30", "--mode STREAM, 30", "--sockets 4 --idle-sessions 10, 4"})
    @Tag("slow")
    void fleetReceivesAllScheduledMessages(String options, int sockets) throws Exception {
        try (RunningLoad server = start("server --work echo");
            RunningLoad client = startClient(server, "--work fleet --sessions 30 --rate 20 --seconds 0.5 --warmup 0.2 " + options)) {
            client.await("measuring");
            JsonNode result = client.await("result");
            assertThat(Json.number(result, "sent")).isEqualTo(300);
            assertThat(Json.number(result, "received")).isEqualTo(300);
            assertThat(Json.number(result, "sockets")).isEqualTo(sockets);
        }
    }

    @ParameterizedTest
    @CsvSource({"MESSAGE, 200", "STREAM, 200", "MESSAGE, 8"})
    @Tag("slow")
    void serverMeasuresDelayOfMessagesAfterTheWarmUp(String mode, int messageBytes) throws Exception {
        String options = " --mode " + mode + " --write-bytes " + messageBytes;
        try (RunningLoad server = start("server --work delay" + options);
            RunningLoad client = startClient(server, "--work delay --sessions 3 --rate 100 --seconds 0.5 --warmup 0.2" + options)) {
            client.await("measuring");
            JsonNode result = client.await("result");
            assertThat(Json.number(result, "sent")).isEqualTo(150);
            assertThat(Json.number(result, "datagrams_out")).isPositive();
            await().atMost(Duration.ofSeconds(30)).until(() -> Json.number(server.ask("delay"), "received") == 150);
            assertThat(client.end()).isZero();
        }
    }

    @Test
    void idleSessionsAreCountedByTheServer() throws Exception {
        try (RunningLoad server = start("server --work echo --keepalive-ms 0 --idle-timeout-ms 0");
            RunningLoad client = startClient(server, "--work idle --keepalive-ms 0")) {
            client.send("open 25");
            assertThat(Json.number(client.await("opened"), "sockets")).isEqualTo(25);
            assertThat(Json.number(server.ask("stats"), "sessions")).isEqualTo(25);
            assertThat(client.end()).isZero();
            assertThat(server.end()).isZero();
        }
    }

    @Test
    void closedSessionsOfChurnAreClosedAtTheServer() throws Exception {
        try (RunningLoad server = start("server --work echo");
            RunningLoad client = startClient(server, "--work churn --sessions 4" + SHORT)) {
            client.await("measuring");
            JsonNode result = client.await("result");
            assertThat(Json.number(result, "sessions")).isPositive();
            assertThat(Json.number(server.ask("stats"), "sessions")).isGreaterThan(Json.number(result, "sessions"));
            await().atMost(Duration.ofSeconds(30)).until(() -> Json.number(server.ask("listener"), "active") <= 4);
        }
    }

    @Test
    void sessionWithoutResponseFailsTheClient() throws Exception {
        try (RunningLoad server = start("server --work echo --crypt aes-128");
            RunningLoad client = startClient(server, "--work fleet --sessions 1 --idle-timeout-ms 500")) {
            assertThat(client.await("error").path("message").asString()).contains("the load program failed", "idle timeout");
            assertThat(client.exitCode()).isEqualTo(1);
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
        try (RunningLoad load = start("server --work echo --metrics"); RunningLoad client = startClient(load, "--work echo" + SHORT)) {
            client.await("measuring");
            client.await("result");
            assertThat(client.end()).isZero();
            assertThat(load.end()).isZero();
        }
    }
}

package io.kcp.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpServerBootstrap;
import io.kcp.netty.KcpServerChannel;
import io.kcp.netty.KcpTransport;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Every work of the load tool for a moment: that it works, not how fast. */
@Timeout(180)
class KcpLoadTest {

    private static final String SHORT = " --seconds 0.2 --warmup 0.1 --quiet ";

    @ParameterizedTest
    @CsvSource({
        "sink, source,",
        "sink, source, --write-bytes 64 --mode MESSAGE",
        "sink, source, --crypt aes-128 --fec 10:3",
        "echo, echo, --connections 2 --transport NIO",
        "echo, echo, --write-bytes 100000 --outstanding 1"})
    void bytesArriveInTheMeasuredTime(String serverWork, String clientWork, String options) throws Exception {
        String both = options == null ? "" : options.replaceAll("--(connections|write-bytes|outstanding) \\d+", "");
        try (RunningLoad server = RunningLoad.start("server --quiet --work " + serverWork + ' ' + both);
            RunningLoad client = startClient(server, clientWork, SHORT + (options == null ? "" : options))) {
            client.await("measuring");
            String before = mark(server);
            String result = client.await("result");
            assertThat(JsonLine.number(result, "mb_s")).isNotNegative();
            assertThat(JsonLine.number(result, "seconds")).isGreaterThanOrEqualTo(0.2);
            String after = mark(server);
            // A busy machine may not have moved anything in so short a time. The client goes on as long as it is asked.
            while (JsonLine.number(after, "bytes") <= JsonLine.number(before, "bytes")) {
                mark(client);
                after = mark(server);
            }
            assertThat(JsonLine.number(after, "ns")).isGreaterThan(JsonLine.number(before, "ns"));
            assertThat(JsonLine.number(after, "messages")).isPositive();
            assertThat(JsonLine.number(mark(client), "bytes_sent")).isPositive();
            server.tell("stats");
            assertThat(JsonLine.number(server.await("stats"), "datagrams_in")).isPositive();
        }
    }

    @Test
    void aPingPongCountsItsRoundTrips() throws Exception {
        try (RunningLoad server = RunningLoad.start("server --work echo --quiet");
            RunningLoad client = startClient(server, "pingpong", "--count 200 --warmup-count 20 --quiet")) {
            client.await("measuring");
            String result = client.await("result");
            assertThat(JsonLine.number(result, "count")).isEqualTo(200);
            assertThat(JsonLine.number(result, "median_us")).isPositive();
            assertThat(JsonLine.number(result, "p99_us")).isGreaterThanOrEqualTo(JsonLine.number(result, "median_us"));
        }
    }

    @ParameterizedTest
    @CsvSource({"--mode MESSAGE, 30", "--mode STREAM, 30", "--sockets 4 --idle-sessions 10, 4"})
    void aFleetSendsWhatItPlannedAndGetsItBack(String options, int sockets) throws Exception {
        try (RunningLoad server = RunningLoad.start("server --work echo --quiet");
            RunningLoad client = startClient(server, "fleet", "--sessions 30 --rate 20 --seconds 0.5 --warmup 0.2 --quiet " + options)) {
            client.await("measuring");
            String result = client.await("result");
            assertThat(JsonLine.number(result, "sent")).isEqualTo(300);
            assertThat(JsonLine.number(result, "received")).isEqualTo(300);
            assertThat(JsonLine.number(result, "sockets")).isEqualTo(sockets);
            assertThat(JsonLine.number(result, "max_us")).isGreaterThanOrEqualTo(JsonLine.number(result, "p50_us")).isPositive();
        }
    }

    @Test
    void idleSessionsAreOpenedAsTold() throws Exception {
        try (RunningLoad server = RunningLoad.start("server --work echo --quiet --keepalive-ms 0 --idle-timeout-ms 0 --histogram 3");
            RunningLoad client = startClient(server, "idle", "--quiet --keepalive-ms 0")) {
            client.tell("open 10");
            assertThat(JsonLine.number(client.await("opened"), "sessions")).isEqualTo(10);
            client.tell("open 25");
            assertThat(JsonLine.number(client.await("opened"), "sessions")).isEqualTo(25);
            server.tell("memory");
            assertThat(JsonLine.number(server.await("memory"), "live_bytes")).isPositive();
            server.tell("memory");
            assertThat(JsonLine.number(server.await("memory"), "rss_bytes")).isNotNegative();
            server.tell("stats");
            assertThat(JsonLine.number(server.await("stats"), "sessions")).isEqualTo(25);
            assertThat(client.end()).isZero();
            assertThat(server.end()).isZero();
        }
    }

    @Test
    void churnOpensOneSessionAfterTheOther() throws Exception {
        try (RunningLoad server = RunningLoad.start("server --work echo --quiet --idle-timeout-ms 1000");
            RunningLoad client = startClient(server, "churn", "--sessions 4" + SHORT)) {
            client.await("measuring");
            String result = client.await("result");
            assertThat(JsonLine.number(result, "sessions")).isPositive();
            server.tell("stats");
            assertThat(JsonLine.number(server.await("stats"), "sessions")).isGreaterThan(JsonLine.number(result, "sessions"));
        }
    }

    @Test
    void aServerThatIsScrapedTellsItsFigures() throws Exception {
        MultiThreadIoEventLoopGroup group = new MultiThreadIoEventLoopGroup(1, KcpTransport.best().ioHandlerFactory());
        try {
            KcpServerChannel server = new KcpServerBootstrap().group(group)
                .childHandler(new ChannelInitializer<KcpChannel>() {
                    @Override
                    protected void initChannel(KcpChannel session) {
                        // No session comes.
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
    void theEndOfInputEndsAClientThatMeasuresWithAnError() throws Exception {
        try (RunningLoad server = RunningLoad.start("server --work sink --quiet");
            RunningLoad client = startClient(server, "source", "--warmup 1000 --quiet")) {
            assertThat(client.end()).isEqualTo(1);
            assertThat(client.await("error")).contains("standard input ended before the result", "sleep infinity |");
        }
    }

    @Test
    void theEndOfInputEndsAClientThatIsIdle() throws Exception {
        try (RunningLoad server = RunningLoad.start("server --work echo --quiet");
            RunningLoad client = startClient(server, "idle", "--quiet")) {
            assertThat(client.end()).isZero();
        }
    }

    @Test
    void aLineThatMeansNothingIsAnError() throws Exception {
        try (RunningLoad server = RunningLoad.start("server --work sink --quiet")) {
            server.await("ready");
            server.tell("marc");
            assertThat(server.await("error")).contains("marc");
            assertThat(server.exitCode()).isEqualTo(1);
        }
    }

    @Test
    void anOptionThatThereIsNotIsAnError() throws Exception {
        try (RunningLoad server = RunningLoad.start("server --work sink --no-such-option")) {
            assertThat(server.await("error")).contains("--no-such-option");
            assertThat(server.exitCode()).isEqualTo(2);
        }
    }

    @Test
    void openingSessionsIsForIdleWorkOnly() throws Exception {
        try (RunningLoad server = RunningLoad.start("server --work sink --quiet")) {
            server.await("ready");
            server.tell("open 5");
            server.await("error");
        }
    }

    @Test
    void aProgressLineTellsRatesOfASecond() {
        LoadMeter.Moment second = new LoadMeter.Moment(2_000_000_000, 1_000, 0, 4_000_000, 10, 2_000_000, 6);
        assertThat(LoadProgress.line("client echo", 7, second))
            .isEqualTo("client echo    7 s: in 2.0 MB/s, 5 messages/s; out 1.0 MB/s, 3 messages/s; CPU 50 %");
    }

    private static String mark(RunningLoad load) throws IOException, InterruptedException {
        load.tell("mark");
        return load.await("mark");
    }

    private static RunningLoad startClient(RunningLoad server, String work, String options) throws IOException, InterruptedException {
        long port = (long) JsonLine.number(server.await("ready"), "port");
        return RunningLoad.start("client --connect " + port + " --work " + work + ' ' + options);
    }
}

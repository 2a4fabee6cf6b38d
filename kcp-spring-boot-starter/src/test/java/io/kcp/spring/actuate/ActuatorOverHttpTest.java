package io.kcp.spring.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.jayway.jsonpath.JsonPath;
import io.kcp.core.KcpStats;
import io.kcp.core.crypto.CryptoConfig;
import io.kcp.core.fec.FecConfig;
import io.kcp.core.fec.FecShape;
import io.kcp.netty.KcpServerChannel;
import io.kcp.netty.KcpSessionStats;
import io.kcp.netty.bootstrap.KcpTransport;
import io.kcp.spring.EchoClient;
import io.kcp.spring.EchoInitializer;
import io.kcp.spring.KcpServers;
import io.netty.channel.ChannelOption;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** An application with a web server, and a client whose statistics must equal those that Actuator shows. */
@Timeout(360)
class ActuatorOverHttpTest {

    private static final byte[] SECRET = "it is a secret !".getBytes(StandardCharsets.US_ASCII);
    private static final int MESSAGES = 200;
    /** Time for which a test blocks an event loop at most. It is longer than the timeouts of all requests of the test together. */
    private static final int BLOCKED_S = 300;

    private final HttpClient http = HttpClient.newHttpClient();
    private ConfigurableApplicationContext context;
    private String actuator;

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {

        @Bean
        EchoInitializer echo() {
            return new EchoInitializer();
        }
    }

    /** An HTTP response. */
    private record Page(int status, String body) {

        <T> T at(String path) {
            return JsonPath.read(body, path);
        }

        long number(String path) {
            return this.<Number>at(path).longValue();
        }
    }

    @BeforeEach
    void start() {
        context = new SpringApplication(Application.class).run("--spring.main.web-application-type=reactive", "--server.port=0",
            "--spring.main.banner-mode=off", "--management.endpoints.web.exposure.include=*",
            "--management.endpoint.health.show-details=always", "--management.endpoint.env.show-values=always",
            "--management.endpoint.configprops.show-values=always", "--KCP_KEY=hush-hush",
            "--kcp.client.crypt.type=aes-128", "--kcp.client.crypt.key=${KCP_KEY}",
            "--kcp.server.port=0", "--kcp.server.address=127.0.0.1", "--kcp.server.threads=1", "--kcp.server.crypt.type=aes-128",
            "--kcp.server.crypt.key=hex:" + HexFormat.of().formatHex(SECRET),
            "--kcp.server.fec.data-shards=5", "--kcp.server.fec.parity-shards=2");
        int port = Objects.requireNonNull(((WebServerApplicationContext) context).getWebServer()).getPort();
        actuator = "http://127.0.0.1:" + port + "/actuator/";
    }

    @AfterEach
    void stop() {
        context.close();
    }

    private KcpServerChannel server() {
        return Objects.requireNonNull(context.getBean(KcpServers.class).find("server")).channel();
    }

    private EchoClient connect() {
        return new EchoClient(Objects.requireNonNull(server().localAddress()).getPort(), bootstrap -> bootstrap
            .crypto(CryptoConfig.of("aes-128", SECRET))
            .fec(FecConfig.of(new FecShape(5, 2))));
    }

    private Page get(String path) throws IOException, InterruptedException {
        HttpResponse<String> response = http.send(HttpRequest.newBuilder(URI.create(actuator + path)).timeout(Duration.ofSeconds(30))
            .build(), HttpResponse.BodyHandlers.ofString());
        return new Page(response.statusCode(), response.body());
    }

    private double metric(String path) throws IOException, InterruptedException {
        return get("metrics/" + path).<Number>at("$.measurements[0].value").doubleValue();
    }

    private static double sample(String scrape, String name) {
        List<String> lines = scrape.lines().filter(line -> line.startsWith(name + ' ')).toList();
        assertThat(lines).as(name).hasSize(1);
        return Double.parseDouble(lines.get(0).substring(name.length() + 1));
    }

    @Test
    void metricsPrometheusAndEndpointMatchClientStatistics() throws Exception {
        try (EchoClient client = connect()) {
            for (int i = 0; i < MESSAGES; i++) {
                client.ask("message " + i);
            }
            await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
                KcpSessionStats stats = client.session().collectStats().get();
                assertThat(stats.waitingSegments()).isZero();
                KcpStats own = stats.counters();
                assertThat(own.bytesSent()).isEqualTo(own.bytesReceived()).isGreaterThan(MESSAGES);
                agreeOnMetrics(own);
                agreeOnScrape(get("prometheus").body(), own);
                agreeOnServer(get("kcp"), own);
                agreeOnSession(client, stats);
                assertThat(client.session().collectStats().get().counters()).as("no traffic in the meantime").isEqualTo(own);
            });
            assertThat(get("kcp").body()).doesNotContain(new String(SECRET, StandardCharsets.US_ASCII))
                .doesNotContain(HexFormat.of().formatHex(SECRET));
        }
    }

    private void agreeOnMetrics(KcpStats client) throws Exception {
        assertThat(metric("kcp.sessions.active?tag=server:server")).isEqualTo(1);
        assertThat(metric("kcp.sessions.opened")).isEqualTo(1);
        assertThat(metric("kcp.bytes?tag=direction:in&tag=layer:application")).isEqualTo(client.bytesSent());
        assertThat(metric("kcp.bytes?tag=direction:out&tag=layer:application")).isEqualTo(client.bytesReceived());
        assertThat(metric("kcp.bytes?tag=direction:in&tag=layer:kcp")).isEqualTo(client.wireBytesOut());
        assertThat(metric("kcp.bytes?tag=direction:out&tag=layer:kcp")).isEqualTo(client.wireBytesIn());
        assertThat(metric("kcp.segments.received")).isEqualTo(client.segmentsOut());
        assertThat(metric("kcp.segments.sent")).isEqualTo(client.segmentsIn());
    }

    private static void agreeOnScrape(String scrape, KcpStats client) {
        assertThat(sample(scrape, "kcp_sessions_active{server=\"server\"}")).isEqualTo(1);
        assertThat(sample(scrape, "kcp_bytes_total{direction=\"in\",layer=\"application\",server=\"server\"}"))
            .isEqualTo(client.bytesSent());
        assertThat(sample(scrape, "kcp_datagrams_total{direction=\"in\",server=\"server\"}")).isEqualTo(client.datagramsOut());
        assertThat(sample(scrape, "kcp_datagrams_total{direction=\"out\",server=\"server\"}")).isEqualTo(client.datagramsIn());
        assertThat(sample(scrape, "kcp_segments_received_total{server=\"server\"}")).isEqualTo(client.segmentsOut());
        assertThat(sample(scrape, "kcp_segments_sent_total{server=\"server\"}")).isEqualTo(client.segmentsIn());
    }

    private static void agreeOnServer(Page page, KcpStats client) {
        assertThat(page.<String>at("$.servers.server.state")).isEqualTo("ACCEPTING");
        assertThat(page.<String>at("$.servers.server.wireSettings")).contains("DialWithOptions(addr, aes-128, 5, 2)");
        assertThat(page.<Object>at("$.servers.server.problem")).isNull();
        assertThat(page.number("$.servers.server.stats.activeSessions")).isEqualTo(1);
        assertThat(page.number("$.servers.server.stats.sessions.bytesReceived")).isEqualTo(client.bytesSent());
        assertThat(page.number("$.servers.server.stats.sessions.segmentsIn")).isEqualTo(client.segmentsOut());
    }

    private void agreeOnSession(EchoClient client, KcpSessionStats stats) throws Exception {
        long conv = Integer.toUnsignedLong(client.session().conv());
        Page top = get("kcp/server?limit=1");
        for (String list : List.of("mostBytes", "mostRetransmissions", "longestRoundTrips")) {
            assertThat(top.<List<Object>>at("$." + list)).hasSize(1);
            assertThat(top.number("$." + list + "[0].conv")).isEqualTo(conv);
        }
        assertThat(top.<String>at("$.server.address")).isEqualTo(String.valueOf(server().localAddress()));
        Page session = get("kcp/server/" + conv);
        assertThat(get("kcp/server/" + client.session().conv()).<List<Object>>at("$.sessions")).as("signed conversation id").hasSize(1);
        assertThat(get("kcp/server/" + (conv + (1L << 32))).<List<Object>>at("$.sessions")).isEmpty();
        assertThat(session.<List<Object>>at("$.sessions")).hasSize(1);
        assertThat(session.<String>at("$.sessions[0].remoteAddress")).isEqualTo(client.session().localAddress().toString());
        assertThat(session.number("$.sessions[0].stats.counters.bytesReceived")).isEqualTo(stats.counters().bytesSent());
        assertThat(session.number("$.sessions[0].stats.counters.datagramsIn")).isEqualTo(stats.counters().datagramsOut());
        assertThat(session.number("$.sessions[0].ageMs")).isBetween(0L, 120_000L);
        KcpStats theirs = server().collectStats().get().sessions();
        assertThat(session.<Number>at("$.sessions[0].retransmissionShare").doubleValue())
            .isEqualTo((double) theirs.retransmissions() / theirs.segmentsOut(), within(1e-9));
        assertThat(get("kcp/server/" + (conv + 1) % (1L << 32)).<List<Object>>at("$.sessions")).isEmpty();
        assertThat(get("kcp/nobody").status()).isEqualTo(404);
        assertThat(get("kcp/nobody/1").status()).isEqualTo(404);
    }

    @Test
    void keysAreMaskedEvenIfValuesAreShown() throws Exception {
        for (String path : List.of("configprops", "configprops/kcp", "env", "env/kcp.server.crypt.key", "env/kcp.client.crypt.key",
            "env/KCP_KEY")) {
            Page page = get(path);
            assertThat(page.status()).as(path).isEqualTo(200);
            assertThat(page.body()).as(path).contains("******").doesNotContain(HexFormat.of().formatHex(SECRET)).doesNotContain("hush");
        }
        assertThat(get("configprops/kcp").body()).as("other values are shown").contains("aes-128");
        assertThat(get("env").body()).as("other values are shown").contains("aes-128");
    }

    @Test
    @Tag("slow")
    void healthChangesFromUpToOutOfServiceToDown() throws Exception {
        Page up = get("health");
        assertThat(up.status()).isEqualTo(200);
        assertThat(up.<String>at("$.components.kcp.status")).isEqualTo("UP");
        assertThat(up.number("$.components.kcp.details.server.sessions")).isZero();
        assertThat(up.number("$.components.kcp.details.server.receiveDrops")).isZero();
        assertThat(up.number("$.components.kcp.details.server.eventLoopLagMs")).isNotNegative();
        assertThat(up.<String>at("$.components.kcp.details.server.address")).isEqualTo(String.valueOf(server().localAddress()));
        server().stopAccepting().sync();
        Page draining = get("health");
        assertThat(draining.status()).isEqualTo(503);
        assertThat(draining.<String>at("$.components.kcp.status")).isEqualTo("OUT_OF_SERVICE");
        assertThat(draining.<String>at("$.components.kcp.details.server.state")).isEqualTo("DRAINING");
        server().close().sync();
        Page down = get("health");
        assertThat(down.<String>at("$.components.kcp.status")).isEqualTo("DOWN");
        assertThat(down.<String>at("$.components.kcp.details.server.state")).isEqualTo("STOPPED");
    }

    @Test
    @Tag("slow")
    void blockedEventLoopIsReportedWithinTimeout() throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        Future<?> blocked = server().datagramChannels().get(0).eventLoop().submit(() -> release.await(BLOCKED_S, TimeUnit.SECONDS));
        try {
            for (String path : List.of("kcp", "kcp/server", "kcp/server/1")) {
                Page page = get(path);
                assertThat(blocked.isDone()).as("%s is answered after the event loop has responded", path).isFalse();
                assertThat(page.status()).isEqualTo(200);
                assertThat(page.<List<String>>at("$..problem").get(0)).isEqualTo("its event loops did not respond within 2 s");
            }
            Page health = get("health");
            assertThat(health.<String>at("$.components.kcp.status")).isEqualTo("DOWN");
            assertThat(health.<String>at("$.components.kcp.details.server.problem")).contains("did not respond");
            assertThat(get("prometheus").body()).as("a scrape does not wait").contains("kcp_stats_age_seconds");
        } finally {
            release.countDown();
        }
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> assertThat(get("health").status()).isEqualTo(200));
    }

    @Test
    @Tag("slow")
    void discardedDatagramsAreReportedAsOverloadUntilTheNextHealthCheck() throws Exception {
        assumeTrue(KcpTransport.best() == KcpTransport.EPOLL, "the kernel reports the number to epoll sockets only");
        CountDownLatch release = new CountDownLatch(1);
        server().datagramChannels().forEach(socket -> socket.config().setOption(ChannelOption.SO_RCVBUF, 4_096));
        CountDownLatch blocked = new CountDownLatch(server().datagramChannels().size());
        server().datagramChannels().forEach(socket -> socket.eventLoop().execute(() -> {
            blocked.countDown();
            try {
                release.await(60, TimeUnit.SECONDS);
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
            }
        }));
        try (DatagramSocket flood = new DatagramSocket()) {
            assertThat(blocked.await(30, TimeUnit.SECONDS)).isTrue();
            for (int i = 0; i < 200; i++) {
                flood.send(new DatagramPacket(new byte[1_000], 1_000, server().localAddress()));
            }
        } finally {
            release.countDown();
        }
        Page health = get("health");
        assertThat(health.<String>at("$.components.kcp.status")).isEqualTo("UP");
        assertThat(health.number("$.components.kcp.details.server.receiveDrops")).isPositive();
        assertThat(health.<Boolean>at("$.components.kcp.details.server.overloaded")).isTrue();
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() ->
            assertThat(metric("kcp.socket.receive.drops")).isEqualTo(health.number("$.components.kcp.details.server.receiveDrops")));
    }

    @Test
    void dashboardQueriesOnlyExistingMetrics() throws Exception {
        List<String> expressions = Dashboard.expressions();
        assertThat(expressions).hasSizeGreaterThan(20);
        String scrape = get("prometheus").body();
        assertThat(expressions).allSatisfy(expression -> assertThat(Dashboard.unanswered(expression, scrape))
            .as(String.format(Locale.ROOT, "selectors of \"%s\" that match nothing", expression)).isEmpty());
        assertThat(Dashboard.unanswered("rate(kcp_bytes_total{layer=\"udp\"}[5m]) + kcp_no_such", scrape)).as("the check can fail")
            .containsExactly("kcp_bytes_total{layer=\"udp\"}", "kcp_no_such");
        for (String expression : Dashboard.guideExpressions()) {
            assertThat(Dashboard.unanswered(expression, scrape)).as(expression).isEmpty();
            assertThat(Dashboard.names(expressions)).as("metrics named by metrics.md")
                .containsAll(Dashboard.names(List.of(expression)));
        }
    }
}

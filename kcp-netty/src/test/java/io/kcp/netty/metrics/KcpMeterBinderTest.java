package io.kcp.netty.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.kcp.core.KcpConfig;
import io.kcp.core.fec.FecConfig;
import io.kcp.core.fec.FecShape;
import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpCloseReason;
import io.kcp.netty.KcpListenerStats;
import io.kcp.netty.KcpServerChannel;
import io.kcp.netty.KcpSessionStats;
import io.kcp.netty.KcpSocketStats;
import io.kcp.netty.bootstrap.KcpBootstrap;
import io.kcp.netty.bootstrap.KcpServerBootstrap;
import io.kcp.netty.bootstrap.KcpTransport;
import io.kcp.netty.smux.SmuxTotals;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.search.Search;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.concurrent.Future;
import java.lang.ref.WeakReference;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class KcpMeterBinderTest {

    private static final Duration SOON = Duration.ofSeconds(30);
    private static final int MESSAGES = 100;
    private static final int MESSAGE_BYTES = 300;

    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(2, KcpTransport.best().ioHandlerFactory());
    private final MeterRegistry registry = new SimpleMeterRegistry();
    private KcpServerChannel server;

    @ChannelHandler.Sharable
    private static final class Echo extends ChannelInboundHandlerAdapter {

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            context.writeAndFlush(message);
        }
    }

    private static final class Counter extends ChannelInboundHandlerAdapter {

        private final AtomicInteger messages = new AtomicInteger();

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ((ByteBuf) message).release();
            messages.incrementAndGet();
        }
    }

    @BeforeEach
    void bind() throws Exception {
        InetSocketAddress anyPort = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        server = new KcpServerBootstrap().group(group).config(KcpConfig.fast3()).fec(FecConfig.of(new FecShape(5, 2)))
            .childHandler(new Echo()).bind(anyPort).sync().channel();
    }

    @AfterEach
    void shutDown() throws Exception {
        group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
    }

    /** Opens a session and exchanges some messages with the server. */
    private KcpChannel exchange() throws Exception {
        Counter counter = new Counter();
        KcpChannel client = new KcpBootstrap().group(group).config(KcpConfig.fast3()).fec(FecConfig.of(new FecShape(5, 2)))
            .handler(counter).connect(server.localAddress()).sync().channel();
        for (int i = 0; i < MESSAGES; i++) {
            client.writeAndFlush(client.alloc().buffer().writeZero(MESSAGE_BYTES));
        }
        await().atMost(SOON).untilAsserted(() -> assertThat(counter.messages).hasValue(MESSAGES));
        return client;
    }

    private double value(String name, String... tags) {
        return registry.get(name).tags(tags).meter().measure().iterator().next().getValue();
    }

    @Test
    void figuresAreThoseOfTheServerAndAgreeWithItsClient() throws Exception {
        new KcpMeterBinder(server, Tags.of("server", "game")).bindTo(registry);
        KcpChannel client = exchange();
        await().atMost(SOON).untilAsserted(() -> {
            KcpSessionStats ours = client.collectStats().get();
            assertThat(ours.waitingSegments()).isZero();
            KcpListenerStats theirs = server.collectStats().get();
            assertThat(value("kcp.sessions.active", "server", "game")).isEqualTo(1);
            assertThat(value("kcp.sessions.opened")).isEqualTo(1);
            assertThat(value("kcp.sessions.max")).isEqualTo(1);
            assertThat(value("kcp.bytes", "direction", "in", "layer", "application"))
                .isEqualTo(ours.counters().bytesSent()).isEqualTo(MESSAGES * MESSAGE_BYTES);
            assertThat(value("kcp.bytes", "direction", "out", "layer", "application")).isEqualTo(ours.counters().bytesReceived());
            assertThat(value("kcp.bytes", "direction", "in", "layer", "kcp")).isEqualTo(ours.counters().wireBytesOut());
            assertThat(value("kcp.bytes", "direction", "out", "layer", "kcp")).isEqualTo(ours.counters().wireBytesIn());
            assertThat(value("kcp.datagrams", "direction", "in")).isEqualTo(ours.counters().datagramsOut());
            assertThat(value("kcp.datagrams", "direction", "out")).isEqualTo(ours.counters().datagramsIn());
            assertThat(value("kcp.segments.received")).isEqualTo(ours.counters().segmentsOut());
            assertThat(value("kcp.segments.sent")).isEqualTo(ours.counters().segmentsIn());
            assertThat(value("kcp.segments.retransmitted", "cause", "timeout")).isEqualTo(theirs.sessions().timeoutRetransmissions());
            assertThat(value("kcp.segments.retransmitted", "cause", "fast")).isEqualTo(theirs.sessions().fastRetransmissions());
            assertThat(value("kcp.segments.retransmitted", "cause", "early")).isEqualTo(theirs.sessions().earlyRetransmissions());
            assertThat(value("kcp.fec.shards", "kind", "data")).isEqualTo(theirs.fec().dataShards()).isPositive();
            assertThat(value("kcp.fec.shards", "kind", "parity")).isEqualTo(theirs.fec().parityShards()).isPositive();
            assertThat(value("kcp.send.buffer")).isZero();
            assertThat(value("kcp.send.segments")).isZero();
            assertThat(registry.get("kcp.rtt.sessions").gauges().stream().mapToDouble(gauge -> gauge.value()).sum()).isEqualTo(1);
        });
        client.datagramChannel().writeAndFlush(client.alloc().buffer().writeByte('?'));
        await().atMost(SOON).untilAsserted(() -> {
            assertThat(registry.get("kcp.datagrams.dropped").functionCounters().stream().mapToDouble(counter -> counter.count()).sum())
                .isEqualTo(1);
            assertThat(value("kcp.datagrams.dropped", "reason", "not_kcp")).isEqualTo(1);
        });
    }

    @Test
    void socketsReportTheirShareOfTheLoad() throws Exception {
        new KcpMeterBinder(server, Tags.empty()).bindTo(registry);
        for (int i = 0; i < 6; i++) {
            exchange();
        }
        await().atMost(SOON).untilAsserted(() -> {
            KcpListenerStats stats = server.collectStats().get();
            assertThat(stats.sockets()).hasSameSizeAs(server.datagramChannels());
            assertThat(stats.sockets().stream().mapToLong(KcpSocketStats::activeSessions).sum()).isEqualTo(6);
            assertThat(stats.sockets().stream().mapToLong(KcpSocketStats::datagramsIn).sum()).isEqualTo(stats.sessions().datagramsIn());
            for (int i = 0; i < stats.sockets().size(); i++) {
                String socket = Integer.toString(i);
                assertThat(value("kcp.socket.sessions", "socket", socket)).isEqualTo(stats.sockets().get(i).activeSessions());
                assertThat(value("kcp.socket.datagrams", "socket", socket, "direction", "out"))
                    .isEqualTo(stats.sockets().get(i).datagramsOut());
            }
        });
    }

    @Test
    void fullReceiveBufferIsCounted() throws Exception {
        assumeTrue(KcpTransport.best() == KcpTransport.EPOLL, "the kernel reports the number to epoll sockets only");
        new KcpMeterBinder(server, Tags.empty()).bindTo(registry);
        server.datagramChannels().forEach(socket -> socket.config().setOption(ChannelOption.SO_RCVBUF, 4_096));
        server.datagramChannels().forEach(socket -> socket.config().setAutoRead(false));
        try (DatagramSocket flood = new DatagramSocket()) {
            for (int i = 0; i < 200; i++) {
                flood.send(new DatagramPacket(new byte[1_000], 1_000, server.localAddress()));
            }
        }
        await().atMost(SOON).untilAsserted(() -> assertThat(value("kcp.socket.receive.drops")).isPositive());
        assertThat(value("kcp.socket.receive.queue")).isPositive();
    }

    @Test
    void endsOfSessionsAreToldByReasonAndSurviveTheServer() throws Exception {
        new KcpMeterBinder(server, Tags.empty()).bindTo(registry);
        exchange();
        exchange();
        server.close().sync();
        await().atMost(SOON).untilAsserted(() -> {
            assertThat(value("kcp.sessions.active")).isZero();
            assertThat(registry.get("kcp.sessions.closed").functionCounters().stream().mapToDouble(counter -> counter.count()).sum())
                .isEqualTo(2);
            assertThat(value("kcp.sessions.closed", "reason", "application")).isEqualTo(2);
        });
        assertThat(registry.get("kcp.sessions.closed").functionCounters()).hasSize(KcpCloseReason.values().length + 1);
    }

    @Test
    void aScrapeDoesNotWaitForALoopThatStandsStill() throws Exception {
        new KcpMeterBinder(server, Tags.empty()).bindTo(registry);
        await().atMost(SOON).untilAsserted(() -> assertThat(value("kcp.stats.age")).isLessThan(1));
        CountDownLatch release = new CountDownLatch(1);
        List<Future<Boolean>> blocked = server.datagramChannels().stream()
            .map(socket -> socket.eventLoop().submit(() -> release.await(5, TimeUnit.MINUTES))).toList();
        try {
            await().atMost(SOON).untilAsserted(() -> {
                registry.getMeters().forEach(meter -> meter.measure().forEach(measurement -> measurement.getValue()));
                assertThat(blocked).as("event loops that did not respond during the scrape").noneMatch(Future::isDone);
                assertThat(value("kcp.stats.age")).as("seconds since a loop answered").isGreaterThan(1.5);
            });
        } finally {
            release.countDown();
        }
        await().atMost(SOON).untilAsserted(() -> {
            assertThat(value("kcp.stats.age")).isLessThan(1);
            assertThat(value("kcp.eventloop.lag")).as("there was no timer that could be late").isZero();
        });
    }

    @Test
    void threadsOfNettyReadWithoutWaiting() throws Exception {
        new KcpMeterBinder(server, Tags.empty()).bindTo(registry);
        exchange();
        // A read on the event loop must not wait for a collection, because that collection would need the same event loop.
        await().atMost(SOON).untilAsserted(() ->
            assertThat(server.datagramChannels().get(0).eventLoop().submit(() -> value("kcp.sessions.opened")).get(5,
            TimeUnit.SECONDS)).isEqualTo(1));
    }

    @Test
    void closingRemovesTheMetersFromAllRegistries() {
        MeterRegistry other = new SimpleMeterRegistry();
        registry.counter("of.the.application");
        KcpMeterBinder one = new KcpMeterBinder(server, Tags.of("server", "one"));
        one.bindTo(registry);
        one.bindTo(other);
        int meters = other.getMeters().size();
        KcpMeterBinder two = new KcpMeterBinder(server, Tags.of("server", "two"));
        two.bindTo(registry);
        assertThat(registry.getMeters()).hasSize(2 * meters + 1);
        one.close();
        assertThat(other.getMeters()).isEmpty();
        assertThat(registry.getMeters()).hasSize(meters + 1);
        assertThat(Search.in(registry).tag("server", "one").meters()).isEmpty();
        two.close();
        assertThat(registry.getMeters()).hasSize(1);
        one.close();
    }

    @Test
    void metersLiveAsLongAsTheRegistryThoughNobodyKeepsTheBinder() throws Exception {
        KcpMeterBinder binder = new KcpMeterBinder(server, Tags.empty());
        binder.bindTo(registry);
        WeakReference<KcpMeterBinder> gone = new WeakReference<>(binder);
        binder = null;
        await().atMost(SOON).untilAsserted(() -> {
            System.gc();
            assertThat(gone.get()).isNull();
        });
        exchange();
        await().atMost(SOON).untilAsserted(() -> assertThat(value("kcp.sessions.opened")).isEqualTo(1));
    }

    @Test
    void theTableOfAllMetersIsWhatIsBound() throws Exception {
        new KcpMeterBinder(server, Tags.empty()).bindTo(registry);
        new SmuxMeterBinder(new SmuxTotals(), Tags.empty()).bindTo(registry);
        Set<String> bound = registry.getMeters().stream().map(Meter::getId).map(id -> id.getName() + " "
            + kind(id.getType()) + " " + (id.getBaseUnit() == null ? "" : id.getBaseUnit()) + " "
            + id.getTags().stream().map(Tag::getKey).collect(Collectors.joining(", "))).collect(Collectors.toCollection(TreeSet::new));
        Set<String> written = new TreeSet<>();
        Matcher rows = Pattern.compile("(?m)^\\| `(kcp[.a-z]+)` \\| ([a-z]+) \\| ([a-z]*) ?\\| ([`a-z_, ]*)\\|")
            .matcher(Files.readString(Path.of("..", "src", "site", "markdown", "metrics.md")));
        while (rows.find()) {
            written.add(rows.group(1) + " " + rows.group(2) + " " + rows.group(3).strip() + " "
                + rows.group(4).replace("`", "").strip());
        }
        assertThat(written).isEqualTo(bound);
    }

    private static String kind(Meter.Type type) {
        return type == Meter.Type.COUNTER ? "counter" : "gauge";
    }
}

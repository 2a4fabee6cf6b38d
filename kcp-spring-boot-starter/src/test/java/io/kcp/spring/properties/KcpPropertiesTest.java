package io.kcp.spring.properties;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kcp.core.CongestionAlgorithm;
import io.kcp.core.EarlyRetransmit;
import io.kcp.core.KcpConfig;
import io.kcp.core.KcpTransferMode;
import io.kcp.core.Redundancy;
import io.kcp.core.SegmentHeader;
import io.kcp.core.crypto.CryptoConfig;
import io.kcp.core.fec.FecConfig;
import io.kcp.core.fec.FecShape;
import io.kcp.netty.DropReason;
import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpChannelOption;
import io.kcp.netty.KcpCloseReason;
import io.kcp.netty.KcpListenerStats;
import io.kcp.netty.KcpServerChannel;
import io.kcp.netty.bootstrap.KcpBootstrap;
import io.kcp.netty.bootstrap.KcpTransport;
import io.kcp.spring.EchoClient;
import io.kcp.spring.EchoInitializer;
import io.kcp.spring.KcpServer;
import io.kcp.spring.KcpServers;
import io.kcp.spring.server.KcpServerAutoConfiguration;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.socket.nio.NioDatagramChannel;
import java.lang.management.ManagementFactory;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongPredicate;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Every property is applied to a running server and its sessions. */
@Timeout(60)
class KcpPropertiesTest {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
        .withConfiguration(AutoConfigurations.of(KcpServerAutoConfiguration.class))
        .withBean(EchoInitializer.class, EchoInitializer::new)
        .withPropertyValues("kcp.server.port=0", "kcp.server.threads=2", "kcp.server.shutdown=immediate");

    /** A check of a server and a session. */
    @FunctionalInterface
    interface Look {

        void at(KcpServerChannel server, KcpChannel session) throws Exception;
    }

    private void run(UnaryOperator<KcpBootstrap> client, Look look, String... properties) {
        runner.withPropertyValues(properties).run(context -> {
            assertThat(context).hasNotFailed();
            KcpServer server = context.getBean(KcpServers.class).iterator().next();
            try (EchoClient echo = new EchoClient(server.localAddress().getPort(), client)) {
                assertThat(echo.ask("hello")).isEqualTo("hello");
                look.at(server.channel(), context.getBean(EchoInitializer.class).sessions.element());
            }
        });
    }

    private void run(Look look, String... properties) {
        run(UnaryOperator.identity(), look, properties);
    }

    private static Map<String, Object> optionsByProperty() {
        Map<String, Object> options = new LinkedHashMap<>();
        options.put("mode=stream", KcpTransferMode.STREAM);
        options.put("mtu=1200B", 1200);
        options.put("send-window=77", 77);
        options.put("receive-window=88", 88);
        options.put("max-message-size=5KB", 5120);
        options.put("max-rate=2MB", 2 << 20);
        options.put("idle-timeout=7s", 7_000);
        options.put("keepalive=3s", 3_000);
        options.put("dead-peer-timeout=1m", 60_000);
        options.put("linger=1500ms", 1_500);
        options.put("close-notice=false", false);
        options.put("first-message-timeout=4s", 4_000);
        options.put("tuning.no-delay=false", false);
        options.put("tuning.interval=25", 25);
        options.put("tuning.fast-resend=4", 4);
        options.put("tuning.fast-resend-limit=6", 6);
        options.put("tuning.early-retransmit=off", EarlyRetransmit.OFF);
        options.put("tuning.adaptive-reordering=false", false);
        options.put("tuning.mtu-fallback=false", false);
        options.put("tuning.mtu-search-limit=1450B", 1450);
        options.put("tuning.redundancy=on", Redundancy.ON);
        options.put("tuning.redundancy-delay=12ms", 12);
        options.put("tuning.window-budget=3MB", 3 << 20);
        options.put("tuning.congestion-control=cubic", CongestionAlgorithm.CUBIC);
        options.put("tuning.min-rto=45ms", 45);
        options.put("tuning.ack-no-delay=false", false);
        options.put("tuning.write-delay=true", true);
        options.put("tuning.max-transmissions=20", 20);
        options.put("tuning.zero-window-timeout=9s", 9_000);
        options.put("tuning.min-drain-rate=2KB", 2_048);
        options.put("tuning.max-refused-segments=99", 99);
        options.put("tuning.max-messages-per-iteration=32", 32);
        options.put("tuning.max-bytes-per-iteration=64KB", 65_536);
        return options;
    }

    @Test
    void propertiesAreAppliedToSessions() {
        Map<String, Object> expected = optionsByProperty();
        Map<String, ChannelOption<?>> option = Map.ofEntries(Map.entry("mode", KcpChannelOption.MODE),
            Map.entry("mtu", KcpChannelOption.MTU_BYTES), Map.entry("send-window", KcpChannelOption.SEND_WINDOW),
            Map.entry("receive-window", KcpChannelOption.RECEIVE_WINDOW), Map.entry("max-message-size", KcpChannelOption.MAX_MESSAGE_BYTES),
            Map.entry("max-rate", KcpChannelOption.MAX_BYTES_PER_SECOND), Map.entry("idle-timeout", KcpChannelOption.IDLE_TIMEOUT_MS),
            Map.entry("keepalive", KcpChannelOption.KEEPALIVE_MS), Map.entry("dead-peer-timeout", KcpChannelOption.DEAD_PEER_TIMEOUT_MS),
            Map.entry("linger", KcpChannelOption.LINGER_MS), Map.entry("close-notice", KcpChannelOption.CLOSE_NOTICE),
            Map.entry("first-message-timeout", KcpChannelOption.FIRST_MESSAGE_TIMEOUT_MS),
            Map.entry("tuning.no-delay", KcpChannelOption.NO_DELAY),
            Map.entry("tuning.interval", KcpChannelOption.INTERVAL_MS), Map.entry("tuning.fast-resend", KcpChannelOption.FAST_RESEND),
            Map.entry("tuning.fast-resend-limit", KcpChannelOption.FAST_RESEND_LIMIT),
            Map.entry("tuning.early-retransmit", KcpChannelOption.EARLY_RETRANSMIT),
            Map.entry("tuning.adaptive-reordering", KcpChannelOption.ADAPTIVE_REORDERING),
            Map.entry("tuning.mtu-fallback", KcpChannelOption.MTU_FALLBACK),
            Map.entry("tuning.mtu-search-limit", KcpChannelOption.MTU_SEARCH_LIMIT_BYTES),
            Map.entry("tuning.redundancy", KcpChannelOption.REDUNDANCY),
            Map.entry("tuning.redundancy-delay", KcpChannelOption.REDUNDANCY_DELAY_MS),
            Map.entry("tuning.window-budget", KcpChannelOption.WINDOW_BUDGET_BYTES),
            Map.entry("tuning.congestion-control", KcpChannelOption.CONGESTION_CONTROL),
            Map.entry("tuning.min-rto", KcpChannelOption.MIN_RTO_MS), Map.entry("tuning.ack-no-delay", KcpChannelOption.ACK_NO_DELAY),
            Map.entry("tuning.write-delay", KcpChannelOption.WRITE_DELAY),
            Map.entry("tuning.max-transmissions", KcpChannelOption.MAX_TRANSMISSIONS),
            Map.entry("tuning.zero-window-timeout", KcpChannelOption.ZERO_WINDOW_TIMEOUT_MS),
            Map.entry("tuning.min-drain-rate", KcpChannelOption.MIN_DRAIN_BYTES_PER_SECOND),
            Map.entry("tuning.max-refused-segments", KcpChannelOption.MAX_REFUSED_SEGMENTS),
            Map.entry("tuning.max-messages-per-iteration", KcpChannelOption.MAX_MESSAGES_PER_ITERATION),
            Map.entry("tuning.max-bytes-per-iteration", KcpChannelOption.MAX_BYTES_PER_ITERATION));
        run((server, session) -> expected.forEach((property, value) -> {
            String name = property.substring(0, property.indexOf('='));
            assertThat(session.config().getOption(option.get(name))).as(property).isEqualTo(value);
        }), expected.keySet().stream().map(property -> "kcp.server." + property).toArray(String[]::new));
    }

    @Test
    void defaultsInMetadataAreDefaultsOfLibrary() {
        EventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, KcpTransport.NIO.ioHandlerFactory());
        try {
            KcpChannel plain = new KcpBootstrap().group(loops).handler(new ChannelInboundHandlerAdapter())
                .connect("127.0.0.1", 9).syncUninterruptibly().channel();
            KcpSessionProperties properties = new KcpSessionProperties();
            assertThat(properties.getIdleTimeout()).hasMillis(plain.config().idleTimeoutMs());
            assertThat(properties.getKeepalive()).hasMillis(plain.config().keepaliveMs());
            assertThat(properties.getLinger()).hasMillis(plain.config().lingerMs());
            assertThat(properties.isCloseNotice()).isEqualTo(plain.config().closeNotice());
            assertThat(plain.config().maxMessagesPerIteration()).isEqualTo(1024);
            assertThat(plain.config().maxBytesPerIteration()).isEqualTo(2 << 20);
            assertThat(plain.config().kcp().maxRefusedSegments()).isEqualTo(256);
            assertThat(new KcpServerProperties().getFirstMessageTimeout()).hasMillis(plain.config().firstMessageTimeoutMs());
            assertThat(Stream.of(KcpProfile.values()).filter(profile -> profile.config().deadPeerTimeoutMs() != 30_000))
                .containsExactly(KcpProfile.KCP_GO);
        } finally {
            loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(20, TimeUnit.SECONDS);
        }
    }

    @Test
    void timeoutsCanBeDisabled() {
        run((server, session) -> {
            assertThat(session.config().idleTimeoutMs()).isZero();
            assertThat(session.config().keepaliveMs()).isZero();
            assertThat(session.config().kcp().deadPeerTimeoutMs()).isZero();
        }, "kcp.server.idle-timeout=0", "kcp.server.keepalive=0", "kcp.server.dead-peer-timeout=0");
    }

    static Stream<KcpProfile> profiles() {
        return Stream.of(KcpProfile.values());
    }

    @ParameterizedTest
    @MethodSource("profiles")
    void profilesArePresetsOfLibrary(KcpProfile profile) {
        Map<KcpProfile, KcpConfig> presets = Map.of(KcpProfile.AUTO, KcpConfig.auto(), KcpProfile.NORMAL, KcpConfig.normal(),
            KcpProfile.FAST, KcpConfig.fast(), KcpProfile.FAST2, KcpConfig.fast2(), KcpProfile.FAST3, KcpConfig.fast3(),
            KcpProfile.KCP_GO, KcpConfig.kcpGoCompatible());
        run((server, session) -> assertThat(session.config().getOption(KcpChannelOption.KCP_CONFIG))
            .hasToString(presets.get(profile).toString()),
            "kcp.server.profile=" + profile.name().toLowerCase(Locale.ROOT).replace('_', '-'));
    }

    @Test
    void defaultIsFast3InMessageMode() {
        run((server, session) -> assertThat(session.config().getOption(KcpChannelOption.KCP_CONFIG))
            .hasToString(KcpConfig.fast3().toString()));
    }

    @Test
    void passwordDerivesKeyLikeKcptun() {
        run(client -> client.crypto(CryptoConfig.kcptun("aes-128", "it's a live one")), (server, session) -> { },
            "kcp.server.crypt.type=aes-128", "kcp.server.crypt.key=it's a live one");
    }

    @Test
    void passwordFromFileDerivesKeyLikeKcptun() {
        run(client -> client.crypto(CryptoConfig.kcptun("aes-128-gcm", "it's a live one")), (server, session) -> { },
            "kcp.server.crypt.type=aes-128-gcm", "kcp.server.crypt.key-file=classpath:kcp.key");
    }

    @Test
    void hexKeyIsUsedAsIs() {
        String digits = "000102030405060708090a0b0c0d0e0f";
        run(client -> client.crypto(CryptoConfig.of("aes-128-gcm", HexFormat.of().parseHex(digits))), (server, session) -> { },
            "kcp.server.crypt.type=aes-128-gcm", "kcp.server.crypt.key=hex:" + digits);
    }

    @ParameterizedTest
    @ValueSource(strings = {"none", "null"})
    void keylessCipherNeedsNoKey(String type) {
        run(client -> client.crypto(CryptoConfig.of(type, new byte[0])), (server, session) -> { }, "kcp.server.crypt.type=" + type);
    }

    @Test
    void fecPropertiesEnableParity() {
        run(client -> client.fec(FecConfig.of(new FecShape(10, 3))), (server, session) -> assertThat(session.maxOobBytes()).isPositive(),
            "kcp.server.fec.data-shards=10", "kcp.server.fec.parity-shards=3");
        run((server, session) -> assertThat(session.maxOobBytes()).isZero());
    }

    @Test
    void minParityShardsEnableAdaptiveParity() {
        KcpSessionProperties properties = new KcpSessionProperties();
        properties.getFec().setDataShards(10);
        properties.getFec().setParityShards(3);
        properties.getFec().setMinParityShards(1);
        FecConfig fec = new SessionSettings(new PropertyReader("kcp.server"), properties).fec();
        assertThat(fec).isNotNull();
        assertThat(fec.isAdaptive()).isTrue();
        assertThat(fec.minParityShards()).isEqualTo(1);
        assertThat(fec.shape()).isEqualTo(new FecShape(10, 3));
    }

    @Test
    void socketPropertiesAreApplied() {
        run((server, session) -> {
            Channel socket = server.datagramChannels().get(0);
            assertThat(socket).isInstanceOf(NioDatagramChannel.class);
            assertThat(socket.config().getOption(ChannelOption.IP_TOS)).isEqualTo(46 << 2);
            // Linux doubles the requested size.
            assertThat(socket.config().getOption(ChannelOption.SO_RCVBUF)).isBetween(64 << 10, 128 << 10);
            assertThat(socket.config().getOption(ChannelOption.SO_SNDBUF)).isBetween(64 << 10, 128 << 10);
        }, "kcp.server.transport=nio", "kcp.server.dscp=46", "kcp.server.socket-buffer=64KB");
        run((server, session) -> assertThat(server.datagramChannels())
            .hasSize(server.datagramChannels().get(0) instanceof NioDatagramChannel ? 1 : 3), "kcp.server.sockets=3");
    }

    @Test
    void addressPropertyIsBound() {
        run((server, session) -> assertThat(server.localAddress().getAddress()).isEqualTo(InetAddress.getByName("127.0.0.1")),
            "kcp.server.address=127.0.0.1");
        run((server, session) -> assertThat(server.localAddress().getAddress().isAnyLocalAddress()).isTrue());
    }

    @Test
    void eventLoopThreadsAreNamedAfterServer() {
        run((server, session) -> {
            assertThat(session.eventLoop().parent()).hasSize(2);
            String thread = session.eventLoop().submit(() -> Thread.currentThread().getName()).get(30, TimeUnit.SECONDS);
            assertThat(thread).startsWith("kcp-server-");
        });
    }

    private static long cpuMs(long thread) {
        return TimeUnit.NANOSECONDS.toMillis(ManagementFactory.getThreadMXBean().getThreadCpuTime(thread));
    }

    @Test
    void loopsPropertySelectsWaitStrategy() {
        run((server, session) -> assertThat(cpuMsOfIdleLoop(session, cpuMs -> cpuMs < 50)).isLessThan(50),
            "kcp.server.loops=sleeping");
        run((server, session) -> assertThat(cpuMsOfIdleLoop(session, cpuMs -> cpuMs >= 50)).isGreaterThanOrEqualTo(50),
            "kcp.server.loops=spinning", "kcp.server.threads=1");
    }

    /**
     * Returns the CPU share of an idle event loop, measured over half a second. Repeats the measurement up to 40 times until it is as
     * expected. On a busy machine, a spinning loop gets little CPU time, and a sleeping loop may still finish earlier work.
     */
    private static long cpuMsOfIdleLoop(KcpChannel session, LongPredicate expected) throws Exception {
        long thread = session.eventLoop().submit(() -> Thread.currentThread().getId()).get(30, TimeUnit.SECONDS);
        long cpuMs = 0;
        for (int i = 0; i < 40; i++) {
            long beforeMs = cpuMs(thread);
            session.eventLoop().schedule(() -> { }, 500, TimeUnit.MILLISECONDS).get(30, TimeUnit.SECONDS);
            cpuMs = cpuMs(thread) - beforeMs;
            if (expected.test(cpuMs)) {
                break;
            }
        }
        return cpuMs;
    }

    @Test
    void spinningLoopsRequireNativeTransport() {
        KcpSessionProperties properties = new KcpSessionProperties();
        properties.setLoops(KcpLoops.SPINNING);
        SessionSettings settings = new SessionSettings(new PropertyReader("kcp.client"), properties);
        assertThatThrownBy(() -> settings.loops(KcpTransport.IO_URING)).isInstanceOf(KcpPropertyException.class)
            .hasMessage("kcp.client.loops: event loops of IO_URING cannot busy-poll. Set it to sleeping.");
    }

    /** Captures the first datagram of a client, so that the test can send it to the server. */
    private static byte[] opener(UnaryOperator<KcpBootstrap> settings) throws Exception {
        DatagramPacket packet = new DatagramPacket(new byte[1500], 1500);
        try (DatagramSocket server = new DatagramSocket(0, InetAddress.getLoopbackAddress());
            EchoClient client = new EchoClient(server.getLocalPort(), settings)) {
            client.send("hello");
            server.setSoTimeout(30_000);
            server.receive(packet);
            return Arrays.copyOf(packet.getData(), packet.getLength());
        }
    }

    private static KcpListenerStats statsWhen(KcpServer server, Predicate<KcpListenerStats> condition) throws Exception {
        long untilNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (true) {
            KcpListenerStats stats = server.channel().collectStats().get(30, TimeUnit.SECONDS);
            if (condition.test(stats)) {
                return stats;
            }
            assertThat(System.nanoTime() - untilNanos).as("not yet: " + stats).isNegative();
        }
    }

    @ParameterizedTest
    @CsvSource({"limits.sessions, true", "limits.sessions-per-address, false", "limits.sessions-per-address, true"})
    void limitsAreEnforced(String limit, boolean fromOtherPort) throws Exception {
        byte[] first = opener(UnaryOperator.identity());
        byte[] second = first.clone();
        // The datagram starts with the conversation id.
        second[0]++;
        String exempt = "kcp.server.limits.trusted-prefixes=";
        // A server whose only place is taken is under load.
        String[] load = {"kcp.server.limits.retransmitted-only-under-load=false", "kcp.server.limits.address-proof-under-load=false",
            "kcp.server.limits.openings-under-load=0"};
        runner.withPropertyValues(load).withPropertyValues("kcp.server." + limit + "=1", "kcp.server.sockets=1", exempt).run(context -> {
            KcpServer server = context.getBean(KcpServers.class).iterator().next();
            InetSocketAddress to = new InetSocketAddress("127.0.0.1", server.localAddress().getPort());
            try (DatagramSocket peer = new DatagramSocket(); DatagramSocket other = new DatagramSocket()) {
                peer.send(new DatagramPacket(first, first.length, to));
                statsWhen(server, stats -> stats.openedSessions() == 1);
                (fromOtherPort ? other : peer).send(new DatagramPacket(second, second.length, to));
                KcpListenerStats full = statsWhen(server, stats -> !stats.dropped().isEmpty() || stats.openedSessions() == 2);
                assertThat(full.activeSessions()).isEqualTo(1);
                if (limit.equals("limits.sessions") || full.dropped().isEmpty()) {
                    assertThat(full.closed()).as("the first session is not validated").containsOnlyKeys(KcpCloseReason.EVICTED);
                } else {
                    assertThat(full.dropped()).as("the first session is younger than 500 ms").containsOnlyKeys(DropReason.ADDRESS_LIMIT);
                }
            }
        });
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void roamingIsEnabledByProperty(boolean roaming) {
        runner.withPropertyValues("kcp.server.crypt.type=aes-128-gcm", "kcp.server.crypt.key=password", "kcp.server.sockets=1",
            "kcp.server.roaming=" + roaming).run(context -> {
                KcpServer server = context.getBean(KcpServers.class).iterator().next();
                assertThat(server.channel().datagramChannels().get(0).pipeline().names().contains("roaming")).isEqualTo(roaming);
            });
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void amplificationLimitCanBeDisabled(boolean limited) throws Exception {
        byte[] opener = opener(client -> client);
        runner.withPropertyValues("kcp.server.sockets=1", "kcp.server.amplification-limit=" + limited).run(context -> {
            KcpServer server = context.getBean(KcpServers.class).iterator().next();
            InetSocketAddress to = new InetSocketAddress("127.0.0.1", server.localAddress().getPort());
            try (DatagramSocket peer = new DatagramSocket()) {
                peer.setSoTimeout(30_000);
                peer.send(new DatagramPacket(opener, opener.length, to));
                byte[] answer = new byte[1_500];
                peer.receive(new DatagramPacket(answer, answer.length));
                int cmd = answer[Integer.BYTES];
                assertThat(cmd).as("a probe or an acknowledgement").isEqualTo(limited ? SegmentHeader.CMD_PUSH : SegmentHeader.CMD_ACK);
            }
        });
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void replayProtectionCanBeDisabled(boolean protects) throws Exception {
        byte[] opener = opener(client -> client.crypto(CryptoConfig.kcptun("aes-128", "password")));
        runner.withPropertyValues("kcp.server.crypt.type=aes-128", "kcp.server.crypt.key=password", "kcp.server.sockets=1",
            "kcp.server.replay-protection=" + protects).run(context -> {
                KcpServer server = context.getBean(KcpServers.class).iterator().next();
                InetSocketAddress to = new InetSocketAddress("127.0.0.1", server.localAddress().getPort());
                try (DatagramSocket peer = new DatagramSocket(); DatagramSocket thief = new DatagramSocket()) {
                    peer.send(new DatagramPacket(opener, opener.length, to));
                    thief.send(new DatagramPacket(opener, opener.length, to));
                    KcpListenerStats both = statsWhen(server,
                        stats -> stats.openedSessions() + stats.dropped().getOrDefault(DropReason.REPLAYED, 0L) >= 2);
                    assertThat(both.openedSessions()).isEqualTo(protects ? 1 : 2);
                }
            });
    }
}

package io.kcp.spring.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpChannelConfig;
import io.kcp.netty.KcpCloseException;
import io.kcp.netty.KcpCloseReason;
import io.kcp.netty.reconnect.KcpReconnect;
import io.kcp.netty.reconnect.KcpReconnectListener;
import io.kcp.spring.EchoInitializer;
import io.kcp.spring.KcpClientCustomizer;
import io.kcp.spring.KcpClientFactory;
import io.kcp.spring.KcpServers;
import io.kcp.spring.properties.KcpPropertyException;
import io.kcp.spring.server.KcpServerAutoConfiguration;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.resolver.AddressResolver;
import io.netty.resolver.AddressResolverGroup;
import io.netty.resolver.InetNameResolver;
import io.netty.resolver.InetSocketAddressResolver;
import io.netty.util.AttributeKey;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Client sessions of an application. */
@Timeout(120)
@Tag("jdk")
class KcpClientFactoryTest {

    private static final int PATIENCE_S = 30;

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
        .withConfiguration(AutoConfigurations.of(KcpClientAutoConfiguration.class)).withPropertyValues("kcp.client.transport=nio");

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration(KcpServerAutoConfiguration.class)
    static class Server {

        @Bean
        EchoInitializer echo() {
            return new EchoInitializer();
        }
    }

    private static ConfigurableApplicationContext server(int port, String... properties) {
        return new SpringApplicationBuilder(Server.class).web(WebApplicationType.NONE).bannerMode(Banner.Mode.OFF)
            .properties("kcp.server.port=" + port, "kcp.server.address=127.0.0.1", "kcp.server.transport=nio", "kcp.server.threads=1",
                "kcp.server.shutdown=immediate").properties(properties).run();
    }

    private static InetSocketAddress address(ConfigurableApplicationContext server) {
        return Objects.requireNonNull(server.getBean(KcpServers.class).find("server")).localAddress();
    }

    /** Stores the received messages. */
    @ChannelHandler.Sharable
    private static final class Collector extends SimpleChannelInboundHandler<ByteBuf> {

        private final Queue<String> received = new ConcurrentLinkedQueue<>();

        @Override
        protected void channelRead0(ChannelHandlerContext context, ByteBuf message) {
            received.add(message.toString(StandardCharsets.UTF_8));
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            // The listener is notified.
        }
    }

    /** Writes a message periodically. */
    @ChannelHandler.Sharable
    private static final class Talker extends ChannelInboundHandlerAdapter {

        @Override
        public void channelActive(ChannelHandlerContext context) {
            context.writeAndFlush(text("hello"));
            context.executor().schedule(() -> {
                if (context.channel().isActive()) {
                    channelActive(context);
                }
            }, 50, TimeUnit.MILLISECONDS);
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            // The listener is notified.
        }
    }

    private static ByteBuf text(String text) {
        return Unpooled.copiedBuffer(text, StandardCharsets.UTF_8);
    }

    private static KcpChannel opened(Future<KcpChannel> opening) {
        assertThat(opening.awaitUninterruptibly(PATIENCE_S, TimeUnit.SECONDS)).isTrue();
        assertThat(opening.cause()).isNull();
        return Objects.requireNonNull(opening.getNow());
    }

    private static boolean hasLoops() {
        return Thread.getAllStackTraces().keySet().stream().anyMatch(thread -> thread.getName().startsWith("kcp-client"));
    }

    @Test
    void sessionHasConfiguredSettings() {
        try (ConfigurableApplicationContext server = server(0, "kcp.server.crypt.type=aes-128", "kcp.server.crypt.key=secret")) {
            runner.withPropertyValues("kcp.client.crypt.type=aes-128", "kcp.client.crypt.key=secret", "kcp.client.linger=1s",
                "kcp.client.mtu=1300B", "kcp.client.fec.data-shards=10", "kcp.client.fec.parity-shards=3").run(context -> {
                    Collector answers = new Collector();
                    KcpChannel session = opened(context.getBean(KcpClientFactory.class)
                        .connect("127.0.0.1", address(server).getPort(), answers));
                    session.writeAndFlush(text("a"));
                    await().atMost(Duration.ofSeconds(30)).until(() -> answers.received.contains("a"));
                    assertThat(session.config().lingerMs()).isEqualTo(1_000);
                    assertThat(session.config().kcp().mtuBytes()).isEqualTo(1_300);
                    assertThat(session.maxOobBytes()).isPositive();
                });
        }
    }

    @Test
    void customizersOverrideProperties() {
        AttributeKey<String> key = AttributeKey.valueOf(KcpClientFactoryTest.class, "customized");
        runner.withBean(KcpClientCustomizer.class, () -> bootstrap -> bootstrap.attr(key, "yes")).run(context -> {
            KcpChannel session = opened(context.getBean(KcpClientFactory.class)
                .connect(new InetSocketAddress("127.0.0.1", 9), new Collector()));
            assertThat(session.attr(key).get()).isEqualTo("yes");
        });
    }

    @Test
    void customizersMayWaitForOtherThreadsThatUseFactory() {
        CompletableFuture<KcpClientFactory> factory = new CompletableFuture<>();
        Queue<Boolean> answers = new ConcurrentLinkedQueue<>();
        runner.withBean(KcpClientCustomizer.class, () -> bootstrap -> answers.add(CompletableFuture.supplyAsync(() ->
            ((NettyKcpClientFactory) factory.join()).isRunning()).completeOnTimeout(false, PATIENCE_S, TimeUnit.SECONDS).join()))
            .run(context -> {
                factory.complete(context.getBean(KcpClientFactory.class));
                InetSocketAddress somewhere = new InetSocketAddress("127.0.0.1", 9);
                opened(factory.join().connect(somewhere, new Collector()));
                factory.join().reconnecting(() -> somewhere, new Collector(), KcpReconnectListener.NONE);
                assertThat(answers).containsExactly(true, true);
            });
    }

    @Test
    void connectDuringStopIsRejected() {
        ConfigurableApplicationContext[] application = new ConfigurableApplicationContext[1];
        runner.withBean(KcpClientCustomizer.class, () -> bootstrap -> application[0].close()).run(context -> {
            application[0] = context.getSourceApplicationContext(ConfigurableApplicationContext.class);
            KcpClientFactory factory = context.getBean(KcpClientFactory.class);
            assertThatThrownBy(() -> factory.connect(new InetSocketAddress("127.0.0.1", 9), new Collector()))
                .isInstanceOf(IllegalStateException.class).hasMessageStartingWith("Cannot open a KCP session");
        });
        runner.withBean(KcpClientCustomizer.class, () -> bootstrap -> application[0].close()).run(context -> {
            application[0] = context.getSourceApplicationContext(ConfigurableApplicationContext.class);
            KcpClientFactory factory = context.getBean(KcpClientFactory.class);
            assertThatThrownBy(() -> factory.reconnecting(() -> new InetSocketAddress("127.0.0.1", 9), new Talker(),
                KcpReconnectListener.NONE)).isInstanceOf(IllegalStateException.class).hasMessageStartingWith("Cannot open a KCP session");
        });
        await().atMost(Duration.ofSeconds(30)).until(() -> !hasLoops());
    }

    @Test
    void eventLoopsAreCreatedForFirstSession() {
        await().atMost(Duration.ofSeconds(30)).until(() -> !hasLoops());
        runner.run(context -> {
            assertThat(context).hasSingleBean(KcpClientFactory.class);
            assertThat(hasLoops()).isFalse();
        });
    }

    @Test
    void pendingWritesAreDeliveredWhenApplicationStops() {
        try (ConfigurableApplicationContext server = server(0)) {
            KcpClientFactory[] factory = new KcpClientFactory[1];
            KcpChannel[] session = new KcpChannel[1];
            runner.run(context -> {
                factory[0] = context.getBean(KcpClientFactory.class);
                session[0] = opened(factory[0].connect(address(server), new Collector()));
                for (int i = 0; i < 200; i++) {
                    session[0].writeAndFlush(text("x".repeat(1_000)));
                }
            });
            assertThat(session[0].isOpen()).isFalse();
            assertThat(session[0].closeCause()).isNull();
            await().atMost(Duration.ofSeconds(30)).until(() -> !hasLoops());
            assertThatThrownBy(() -> factory[0].connect(address(server), new Collector())).isInstanceOf(IllegalStateException.class)
                .hasMessage("Cannot open a KCP session: the application is stopping or has stopped");
        }
    }

    @Test
    void cancellingConnectClosesSession() {
        runner.run(context -> {
            Future<KcpChannel> opening = context.getBean(KcpClientFactory.class).connect(new InetSocketAddress("127.0.0.1", 9),
                new Collector());
            // The cancellation races with the connect.
            if (opening.cancel(false)) {
                assertThat(opening.isCancelled()).isTrue();
            } else {
                assertThat(opening.isSuccess()).isTrue();
            }
        });
        await().atMost(Duration.ofSeconds(30)).until(() -> !hasLoops());
    }

    private static void assertListenersAreCalled(Future<KcpChannel> opening) throws InterruptedException {
        CountDownLatch called = new CountDownLatch(1);
        opening.addListener(done -> called.countDown());
        assertThat(called.await(PATIENCE_S, TimeUnit.SECONDS)).as("%s notifies its listeners", opening).isTrue();
    }

    @Test
    void listenersAreNotifiedAfterEventLoopsTerminated() throws Exception {
        List<Future<KcpChannel>> openings = new ArrayList<>();
        runner.run(context -> {
            openings.add(context.getBean(KcpClientFactory.class).connect(new InetSocketAddress("127.0.0.1", 9), new Collector()));
            opened(openings.get(0));
        });
        await().atMost(Duration.ofSeconds(30)).until(() -> !hasLoops());
        assertListenersAreCalled(openings.get(0));
    }

    @Test
    void connectOnTerminatedEventLoopFails() throws Exception {
        EventLoopGroup ended = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
        assertThat(ended.shutdownGracefully(0, 1, TimeUnit.SECONDS).await(PATIENCE_S, TimeUnit.SECONDS)).isTrue();
        List<Future<KcpChannel>> openings = new ArrayList<>();
        runner.withBean(KcpClientCustomizer.class, () -> bootstrap -> bootstrap.group(ended)).run(context ->
            openings.add(context.getBean(KcpClientFactory.class).connect(new InetSocketAddress("127.0.0.1", 9), new Collector())));
        assertListenersAreCalled(openings.get(0));
        assertThat(openings.get(0).cause()).isInstanceOf(RejectedExecutionException.class);
        await("the factory does not wait for it").atMost(Duration.ofSeconds(30)).until(() -> !hasLoops());
    }

    @Test
    void unknownNameFailsConnect() {
        runner.withBean(KcpClientCustomizer.class, () -> bootstrap -> bootstrap.resolver(new NoNames())).run(context -> {
            Future<KcpChannel> opening = context.getBean(KcpClientFactory.class).connect("game.invalid", 9, new Collector());
            assertThat(opening.awaitUninterruptibly(PATIENCE_S, TimeUnit.SECONDS)).isTrue();
            assertThat(opening.cause()).hasMessageContaining("game.invalid");
        });
    }

    /** Resolves no name. */
    private static final class NoNames extends AddressResolverGroup<InetSocketAddress> {

        @Override
        protected AddressResolver<InetSocketAddress> newResolver(EventExecutor executor) {
            return new InetSocketAddressResolver(executor, new InetNameResolver(executor) {
                @Override
                protected void doResolve(String name, Promise<InetAddress> promise) {
                    promise.setFailure(new UnknownHostException(name));
                }

                @Override
                protected void doResolveAll(String name, Promise<List<InetAddress>> promise) {
                    promise.setFailure(new UnknownHostException(name));
                }
            });
        }
    }

    /** Records the events. */
    private static final class Diary implements KcpReconnectListener {

        private final List<String> events = new CopyOnWriteArrayList<>();

        @Override
        public void onOpened(KcpChannel session, int attempt) {
            events.add("opened");
        }

        @Override
        public void onEstablished(KcpChannel session) {
            events.add("established");
        }

        @Override
        public void onLost(KcpChannel session, Throwable cause) {
            events.add("lost");
        }

        @Override
        public void onEnded(@Nullable Throwable cause) {
            events.add("ended " + (cause == null ? null : cause.getClass().getSimpleName()));
        }
    }

    @ParameterizedTest
    @CsvSource({"kcp.client.threads=1, 3000, 6000",
        "'kcp.client.reconnect.keepalive=5s;kcp.client.reconnect.dead-peer-timeout=2s', 5000, 2000",
        "'kcp.client.keepalive=2s;kcp.client.dead-peer-timeout=1s', 2000, 1000"})
    void reconnectingSessionsDetectDeadServerSooner(String properties, int keepaliveMs, int deadPeerTimeoutMs) {
        try (ConfigurableApplicationContext server = server(0)) {
            InetSocketAddress address = address(server);
            runner.withPropertyValues(properties.split(";")).run(context -> {
                KcpReconnect reconnect = context.getBean(KcpClientFactory.class).reconnecting(() -> address, new Talker(), new Diary());
                await().atMost(Duration.ofSeconds(PATIENCE_S)).until(() -> reconnect.session() != null);
                KcpChannelConfig config = Objects.requireNonNull(reconnect.session()).config();
                assertThat(config.keepaliveMs()).isEqualTo(keepaliveMs);
                assertThat(config.kcp().deadPeerTimeoutMs()).isEqualTo(deadPeerTimeoutMs);
            });
        }
    }

    @Test
    void sessionReconnectsWhenServerRestarts() {
        ConfigurableApplicationContext first = server(0);
        InetSocketAddress address = address(first);
        runner.withPropertyValues("kcp.client.dead-peer-timeout=1s", "kcp.client.reconnect.first-delay=50ms",
            "kcp.client.reconnect.max-delay=200ms", "kcp.client.reconnect.answer-timeout=500ms", "kcp.client.linger=200ms").run(context -> {
                Diary diary = new Diary();
                KcpReconnect reconnect = context.getBean(KcpClientFactory.class).reconnecting(() -> address, new Talker(), diary);
                await().atMost(Duration.ofSeconds(PATIENCE_S)).until(() -> diary.events.contains("established"));
                first.close();
                await().atMost(Duration.ofSeconds(PATIENCE_S)).until(() -> diary.events.contains("lost"));
                try (ConfigurableApplicationContext second = server(address.getPort())) {
                    assertThat(address(second)).isEqualTo(address);
                    await().atMost(Duration.ofSeconds(PATIENCE_S)).until(() -> Collections.frequency(diary.events, "established") == 2);
                    assertThat(diary.events).startsWith("opened", "established", "lost", "opened").containsOnlyOnce("lost");
                    assertThat(reconnect.session()).isNotNull();
                    context.close();
                    assertThat(reconnect.ended().awaitUninterruptibly(PATIENCE_S, TimeUnit.SECONDS)).isTrue();
                    assertThat(diary.events).last().isEqualTo("ended null");
                }
            });
    }

    @Test
    void stopWaitsForReplacedSession() throws Exception {
        try (DatagramSocket silent = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
            CompletableFuture<KcpChannel> first = new CompletableFuture<>();
            runner.withPropertyValues("kcp.client.linger=1s", "kcp.client.reconnect.first-delay=1h", "kcp.client.reconnect.max-delay=1h")
                .run(context -> {
                    KcpReconnect reconnect = context.getBean(KcpClientFactory.class).reconnecting(silent::getLocalSocketAddress,
                        new Talker(), new KcpReconnectListener() {
                            @Override
                            public void onOpened(KcpChannel session, int attempt) {
                                first.complete(session);
                            }
                        });
                    first.get(PATIENCE_S, TimeUnit.SECONDS);
                    reconnect.renew(new IOException("the gateway stops"));
                    context.close();
                });
            KcpChannel left = first.join();
            assertThat(left.isOpen()).isFalse();
            assertThat(left.closeCause()).isInstanceOfSatisfying(KcpCloseException.class,
                cause -> assertThat(cause.reason()).as("its linger time, not the shutdown of the event loops")
                    .isEqualTo(KcpCloseReason.LINGER_EXPIRED));
        }
    }

    private static InetSocketAddress addressOfNobody() {
        try (ConfigurableApplicationContext gone = server(0)) {
            return address(gone);
        }
    }

    @Test
    void reconnectGivesUpAfterConfiguredAttempts() {
        InetSocketAddress address = addressOfNobody();
        runner.withPropertyValues("kcp.client.reconnect.first-delay=1ms", "kcp.client.reconnect.answer-timeout=20ms",
            "kcp.client.reconnect.max-attempts=3").run(context -> {
                Diary diary = new Diary();
                KcpReconnect reconnect = context.getBean(KcpClientFactory.class).reconnecting(() -> address, new Talker(), diary);
                assertThat(reconnect.ended().awaitUninterruptibly(PATIENCE_S, TimeUnit.SECONDS)).isTrue();
                assertThat(reconnect.ended().isSuccess()).isFalse();
                await().atMost(Duration.ofSeconds(30)).until(() -> diary.events.size() == 4);
                assertThat(diary.events).startsWith("opened", "opened", "opened").last().asString()
                    .startsWith("ended ").isNotEqualTo("ended null");
            });
    }

    // ---- conditions and invalid properties

    /** Never called. */
    private static final class OwnFactory implements KcpClientFactory {

        @Override
        public Future<KcpChannel> connect(String host, int port, ChannelHandler handler) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Future<KcpChannel> connect(SocketAddress remote, ChannelHandler handler) {
            throw new UnsupportedOperationException();
        }

        @Override
        public KcpReconnect reconnecting(Supplier<? extends SocketAddress> remote, ChannelHandler handler, KcpReconnectListener listener) {
            throw new UnsupportedOperationException();
        }
    }

    @Test
    void factoryBeanOfApplicationReplacesDefault() {
        runner.withBean(OwnFactory.class).run(context ->
            assertThat(context).hasSingleBean(KcpClientFactory.class).hasSingleBean(OwnFactory.class));
    }

    private void assertRejected(String property, String value, String problem, String... others) {
        runner.withPropertyValues(others).withPropertyValues(property + '=' + value).run(context ->
            assertThat(context).getFailure().rootCause().satisfies(failure -> {
                KcpPropertyException invalid = failure instanceof KcpPropertyException cause ? cause
                    : (KcpPropertyException) context.getStartupFailure().getCause().getCause();
                assertThat(invalid.property()).isEqualTo(property);
                assertThat(invalid).hasMessageContaining(problem);
            }));
    }

    @Test
    void invalidPropertyFailsStartAndIsNamed() {
        assertRejected("kcp.client.reconnect.jitter", "2", "expected: 0 to 1");
        assertRejected("kcp.client.reconnect.first-delay", "0s", "firstDelay: PT0S");
        assertRejected("kcp.client.reconnect.answer-timeout", "-1s", "answerTimeout: PT-1S");
        assertRejected("kcp.client.reconnect.max-attempts", "0", "maxAttempts: 0");
        assertRejected("kcp.client.reconnect.max-delay", "1s", "PT1S is less than kcp.client.reconnect.first-delay, PT2S. Use at least "
            + "that duration", "kcp.client.reconnect.first-delay=2s");
        assertRejected("kcp.client.idle-timeout", "30", "write 30s");
        assertRejected("kcp.client.keepalive", "15", "write 15s");
        assertRejected("kcp.client.reconnect.keepalive", "15", "write 15s");
        assertRejected("kcp.client.reconnect.dead-peer-timeout", "2d", "deadPeerTimeout: PT48H");
        assertRejected("kcp.client.dead-peer-timeout", "10", "write 10s");
        assertRejected("kcp.client.crypt.type", "rot13", "is not a known cipher");
        assertRejected("kcp.client.threads", "-1", "is negative");
    }
}

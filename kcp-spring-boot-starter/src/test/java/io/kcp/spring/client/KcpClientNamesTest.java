package io.kcp.spring.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kcp.netty.KcpChannel;
import io.kcp.netty.reconnect.KcpReconnect;
import io.kcp.netty.reconnect.KcpReconnectListener;
import io.kcp.spring.EchoInitializer;
import io.kcp.spring.KcpClientCustomizer;
import io.kcp.spring.KcpClientFactory;
import io.kcp.spring.KcpServers;
import io.kcp.spring.server.KcpServerAutoConfiguration;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.resolver.dns.DnsServerAddressStreamProvider;
import io.netty.resolver.dns.SingletonDnsServerAddressStreamProvider;
import io.netty.util.concurrent.Future;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

/** Resolves server names with a DNS server on loopback. */
@Timeout(120)
class KcpClientNamesTest {

    private static final int PATIENCE_S = 30;

    private final LoopbackNames names = new LoopbackNames();
    private final ApplicationContextRunner servers = new ApplicationContextRunner().withBean(EchoInitializer.class, EchoInitializer::new)
        .withConfiguration(AutoConfigurations.of(KcpServerAutoConfiguration.class))
        .withPropertyValues("kcp.server.shutdown=immediate", "kcp.server.threads=1");
    private final ApplicationContextRunner clients = new ApplicationContextRunner()
        .withConfiguration(AutoConfigurations.of(KcpClientAutoConfiguration.class))
        .withPropertyValues("kcp.client.threads=1", "kcp.client.linger=100ms", "kcp.client.reconnect.first-delay=10ms");
    private final ApplicationContextRunner knowing = clients.withBean(DnsServerAddressStreamProvider.class,
        () -> new SingletonDnsServerAddressStreamProvider(names.address()));

    @AfterEach
    void close() {
        names.close();
    }

    /** Writes a first message, because KCP has no handshake. */
    @ChannelHandler.Sharable
    private static final class Hello extends SimpleChannelInboundHandler<ByteBuf> {

        @Override
        public void channelActive(ChannelHandlerContext context) {
            context.writeAndFlush(context.alloc().buffer().writeByte('x'));
        }

        @Override
        protected void channelRead0(ChannelHandlerContext context, ByteBuf message) {
            // Ignores the content, because only the arrival of the response matters.
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            // The test checks the sessions.
        }
    }

    private static InetSocketAddress address(ApplicationContext server) {
        return Objects.requireNonNull(server.getBean(KcpServers.class).find("server")).localAddress();
    }

    private static KcpChannel opened(Future<KcpChannel> opening) {
        assertThat(opening.awaitUninterruptibly(PATIENCE_S, TimeUnit.SECONDS)).isTrue();
        assertThat(opening.cause()).isNull();
        return Objects.requireNonNull(opening.getNow());
    }

    @Test
    @EnabledOnOs(value = OS.LINUX, disabledReason = "elsewhere loopback has one address")
    void reconnectFollowsServerToNewAddress() throws Exception {
        InetAddress here = InetAddress.getByName("127.0.0.1");
        InetAddress there = InetAddress.getByName("127.0.0.2");
        servers.withPropertyValues("kcp.server.address=127.0.0.1", "kcp.server.port=0").run(first -> {
            int port = address(first).getPort();
            servers.withPropertyValues("kcp.server.address=127.0.0.2", "kcp.server.port=" + port).run(second -> knowing.run(context -> {
                names.answer(here);
                KcpReconnect reconnect = context.getBean(KcpClientFactory.class)
                    .reconnecting(() -> InetSocketAddress.createUnresolved("game.test", port), new Hello(), KcpReconnectListener.NONE);
                await().atMost(Duration.ofSeconds(PATIENCE_S)).until(() -> reconnect.session() != null);
                KcpChannel session = Objects.requireNonNull(reconnect.session());
                assertThat(session.remoteAddress()).isEqualTo(new InetSocketAddress(here, port));
                names.answer(there);
                session.datagramChannel().close();
                await().atMost(Duration.ofSeconds(PATIENCE_S)).until(() -> reconnect.session() != null && reconnect.session() != session);
                assertThat(Objects.requireNonNull(reconnect.session()).remoteAddress()).isEqualTo(new InetSocketAddress(there, port));
                assertThat(names.queries()).containsOnly("game.test.").hasSizeGreaterThan(1);
            }));
        });
    }

    @Test
    @EnabledOnOs(value = OS.LINUX, disabledReason = "elsewhere loopback has one address")
    void addressIsCachedBrieflyRegardlessOfTtl() throws Exception {
        InetAddress here = InetAddress.getByName("127.0.0.1");
        InetAddress there = InetAddress.getByName("127.0.0.2");
        names.ttl(3_600);
        names.answer(here);
        knowing.run(context -> {
            KcpClientFactory factory = context.getBean(KcpClientFactory.class);
            assertThat(opened(factory.connect("game.test", 9, new Hello())).remoteAddress()).isEqualTo(new InetSocketAddress(here, 9));
            names.answer(there);
            InetSocketAddress moved = new InetSocketAddress(there, 9);
            await().atMost(Duration.ofSeconds(PATIENCE_S)).pollInterval(Duration.ofMillis(200))
                .until(() -> opened(factory.connect("game.test", 9, new Hello())).remoteAddress(), moved::equals);
            assertThat(names.queries()).as("some names were answered from the cache").hasSize(2);
        });
    }

    @Test
    void namesAreResolvedOnEventLoopsOfCustomizer() {
        EventLoopGroup own = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
        names.answer(InetAddress.getLoopbackAddress());
        try {
            knowing.withBean(KcpClientCustomizer.class, () -> bootstrap -> bootstrap.group(own)).run(context -> {
                KcpChannel session = opened(context.getBean(KcpClientFactory.class).connect("game.test", 9, new Hello()));
                assertThat(own).as("event loop of the session").contains(session.eventLoop());
                assertThat(names.queries()).containsExactly("game.test.");
            });
        } finally {
            own.shutdownGracefully(0, 1, TimeUnit.SECONDS);
        }
    }

    @Test
    void otherSessionsWorkWhileNameIsResolved() {
        servers.withPropertyValues("kcp.server.address=127.0.0.1", "kcp.server.port=0").run(server -> knowing.run(context -> {
            KcpClientFactory factory = context.getBean(KcpClientFactory.class);
            Future<KcpChannel> slow = factory.connect("slow.test", address(server).getPort(), new Hello());
            assertThat(names.queries().poll(PATIENCE_S, TimeUnit.SECONDS)).isEqualTo("slow.test.");
            assertThat(opened(factory.connect(address(server), new Hello())).isActive()).isTrue();
            assertThat(slow.isDone()).isFalse();
            names.answer(address(server).getAddress());
            assertThat(opened(slow).remoteAddress()).isEqualTo(address(server));
        }));
    }

    @Test
    void jdkResolvesNamesWithoutNettyDnsResolver() {
        clients.run(context -> assertThat(context).hasBean("kcpClientNames"));
        clients.withClassLoader(new FilteredClassLoader("io.netty.resolver.dns")).run(context -> {
            assertThat(context).hasNotFailed().doesNotHaveBean("kcpClientNames");
            KcpChannel session = opened(context.getBean(KcpClientFactory.class).connect("localhost", 9, new Hello()));
            assertThat(Objects.requireNonNull(session.remoteAddress()).getAddress().isLoopbackAddress()).isTrue();
        });
    }
}

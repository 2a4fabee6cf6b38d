package io.kcp.netty.bootstrap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kcp.core.KcpConfig;
import io.kcp.netty.EchoHandler;
import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpChannelOption;
import io.kcp.netty.KcpCloseException;
import io.kcp.netty.KcpCloseReason;
import io.kcp.netty.KcpFuture;
import io.kcp.netty.KcpServerChannel;
import io.kcp.netty.Loopback;
import io.kcp.netty.MessageCollector;
import io.kcp.netty.OneName;
import io.kcp.netty.RecordedLog;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.util.AttributeKey;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NotYetConnectedException;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
@Tag("jdk")
class KcpBootstrapTest {

    private static final AttributeKey<String> NAME = AttributeKey.valueOf(KcpBootstrapTest.class, "name");

    @Test
    void localhostIsResolvedByNettysResolver() throws Exception {
        try (Loopback loopback = new Loopback(KcpTransport.best(), 1)) {
            KcpServerChannel server = loopback.bind(EchoHandler.INSTANCE);
            MessageCollector answers = new MessageCollector();
            KcpChannel client = (KcpChannel) Loopback.done(
                loopback.client(answers).connect("localhost", server.localAddress().getPort())).channel();
            assertThat(client.remoteAddress().isUnresolved()).isFalse();
            client.writeAndFlush(client.alloc().buffer().writeByte('x'));
            assertThat(answers.next()).isEqualTo("x");
            Loopback.done(client.close());
        }
    }

    @Test
    void futuresOfBootstrapsAndHandlersNeedNoCasts() throws Exception {
        try (Loopback loopback = new Loopback(KcpTransport.best(), 1)) {
            KcpFuture<KcpServerChannel> binding = loopback.server(EchoHandler.INSTANCE).bind(Loopback.anyPort());
            assertThat(binding.channel()).isSameAs(binding.sync().channel());
            KcpServerChannel server = binding.await().channel();
            KcpFuture<KcpChannel> connecting = loopback.client(new MessageCollector()).connect(server.localAddress());
            CompletableFuture<KcpChannel> notified = new CompletableFuture<>();
            connecting.addListener(done -> notified.complete(connecting.channel()));
            KcpChannel session = connecting.syncUninterruptibly().channel();
            assertThat(notified.get(30, TimeUnit.SECONDS)).isSameAs(session).isSameAs(connecting.awaitUninterruptibly().channel());
            Loopback.done(session.close());
            Loopback.done(server.close());
        }
    }

    @Test
    void unknownHostFailsTheFutureAndClosesTheSession() {
        try (Loopback loopback = new Loopback(KcpTransport.best(), 1)) {
            OneName names = new OneName();
            ChannelFuture connected = loopback.client(new MessageCollector()).resolver(names).connect("nobody.invalid", 9);
            names.fail(new UnknownHostException("nobody.invalid"));
            Loopback.ended(connected);
            assertThat(connected.cause()).isInstanceOf(UnknownHostException.class).hasMessageContaining("nobody.invalid");
            assertThat(connected.channel().isOpen()).isFalse();
            Loopback.ended(connected.channel().closeFuture());
        }
    }

    /** The socket of such a session was never opened, so it has no handlers. */
    @Test
    void outOfBandMessageOfASessionWithoutSocketFails() {
        try (Loopback loopback = new Loopback(KcpTransport.best(), 1)) {
            OneName names = new OneName();
            KcpFuture<KcpChannel> connected = loopback.client(new MessageCollector()).resolver(names).connect("nobody.invalid", 9);
            names.fail(new UnknownHostException("nobody.invalid"));
            Loopback.ended(connected);
            KcpChannel session = connected.channel();
            ByteBuf payload = session.alloc().buffer().writeByte('x');
            ChannelFuture sent = session.sendOob(payload);
            Loopback.ended(sent);
            assertThat(sent.cause()).isInstanceOf(ClosedChannelException.class);
            // The payload is released after the future has failed.
            Loopback.ended(session.eventLoop().submit(() -> { }));
            assertThat(payload.refCnt()).isZero();
            ByteBuf onLoop = session.alloc().buffer().writeByte('x');
            ChannelFuture sentOnLoop = Loopback.ended(session.eventLoop().submit(() -> session.sendOob(onLoop))).getNow();
            assertThat(sentOnLoop.cause()).isInstanceOf(ClosedChannelException.class);
            assertThat(onLoop.refCnt()).isZero();
        }
    }

    @Test
    void connectWaitsForSlowNameResolution() throws Exception {
        try (Loopback loopback = new Loopback(KcpTransport.best(), 1)) {
            KcpServerChannel server = loopback.bind(EchoHandler.INSTANCE);
            OneName names = new OneName();
            MessageCollector answers = new MessageCollector();
            ChannelFuture connected = loopback.client(answers).resolver(names).connect("slow.example", 9);
            KcpChannel session = (KcpChannel) connected.channel();
            assertThat(connected.isDone()).isFalse();
            assertThat(session.isActive()).isFalse();
            assertThat(session.isOpen()).isTrue();
            names.answer(server.localAddress());
            Loopback.done(connected);
            assertThat(session.remoteAddress()).isEqualTo(server.localAddress());
            session.writeAndFlush(session.alloc().buffer().writeByte('x'));
            assertThat(answers.next()).isEqualTo("x");
            Loopback.done(session.close());
        }
    }

    @Test
    void unconnectedChannelRejectsWritesAndCanBeClosed() throws Exception {
        try (Loopback loopback = new Loopback(KcpTransport.best(), 1)) {
            OneName names = new OneName();
            ChannelFuture connected = loopback.client(new MessageCollector()).resolver(names).connect("slow.example", 9);
            KcpChannel session = (KcpChannel) connected.channel();
            ChannelFuture written = Loopback.ended(session.writeAndFlush(loopback.allocator().buffer().writeByte(1)));
            assertThat(written.cause()).isInstanceOf(NotYetConnectedException.class);
            Loopback.done(session.close());
            names.answer(Loopback.anyPort());
            assertThat(Loopback.ended(connected).cause()).isInstanceOf(ClosedChannelException.class);
            Loopback.done(session.closeFuture());
        }
    }

    @Test
    void failureDuringConnectFailsTheFuture() throws Exception {
        try (Loopback loopback = new Loopback(KcpTransport.best(), 1)) {
            OneName names = new OneName();
            ChannelFuture connected = loopback.client(new MessageCollector()).resolver(names).connect("slow.example", 9);
            KcpChannel session = (KcpChannel) connected.channel();
            IllegalStateException failure = new IllegalStateException("on purpose");
            assertThat(Loopback.ended(session.closeBecause(failure)).isSuccess()).as("nothing was to be delivered").isTrue();
            assertThat(Loopback.ended(connected).cause()).as("at once").isSameAs(session.closeCause())
                .isInstanceOf(KcpCloseException.class).hasCause(failure);
            assertThat(((KcpCloseException) connected.cause()).reason()).isEqualTo(KcpCloseReason.APPLICATION_FAILED);
            assertThat(session.isOpen()).isFalse();
            Loopback.ended(session.parent().closeFuture());
            names.answer(Loopback.anyPort());
        }
    }

    @Test
    void socketClosedBeforeTheSessionOpensFailsTheFutureWithoutWarning() {
        try (RecordedLog log = new RecordedLog("io"); Loopback loopback = new Loopback(KcpTransport.best(), 1)) {
            ChannelFuture connected = loopback.client(new MessageCollector()).datagramHandler(new ChannelOutboundHandlerAdapter() {
                @Override
                public void connect(ChannelHandlerContext context, SocketAddress remote, SocketAddress local, ChannelPromise promise) {
                    context.connect(remote, local).addListener(done -> context.close().addListener(closed -> promise.setSuccess()));
                }
            }).connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), 9));
            assertThat(Loopback.ended(connected).cause()).isInstanceOf(ClosedChannelException.class);
            Loopback.ended(connected.channel().closeFuture());
            assertThat(log.messages()).isEmpty();
        }
    }

    @Test
    void cancelledConnectLeavesNothingOpen() throws Exception {
        try (Loopback loopback = new Loopback(KcpTransport.best(), 1)) {
            KcpServerChannel server = loopback.bind(EchoHandler.INSTANCE);
            OneName names = new OneName();
            ChannelFuture connected = loopback.client(new MessageCollector()).resolver(names).connect("slow.example", 9);
            KcpChannel session = (KcpChannel) connected.channel();
            assertThat(connected.cancel(false)).isTrue();
            names.answer(server.localAddress());
            Loopback.ended(session.parent().closeFuture());
            Loopback.ended(session.closeFuture());
            assertThat(session.isOpen()).isFalse();
        }
    }

    @Test
    void optionsAndAttributesAreSetBeforeTheFirstEvent() throws Exception {
        CompletableFuture<String> seen = new CompletableFuture<>();
        try (Loopback loopback = new Loopback(KcpTransport.best(), 1)) {
            KcpBootstrap bootstrap = loopback.client(new ChannelInboundHandlerAdapter() {
                @Override
                public void handlerAdded(ChannelHandlerContext ctx) {
                    KcpChannel session = (KcpChannel) ctx.channel();
                    seen.complete(session.attr(NAME).get() + " " + session.config().kcp().intervalMs() + " "
                        + session.config().lingerMs() + " " + session.conv());
                }
            }).attr(NAME, "me").config(KcpConfig.fast3()).option(KcpChannelOption.LINGER_MS, 77).conv(5)
                .socketOption(ChannelOption.SO_REUSEADDR, true).localAddress(Loopback.anyPort());
            KcpChannel session = (KcpChannel) Loopback.done(bootstrap.connect(Loopback.anyPort().getAddress().getHostAddress(), 9))
                .channel();
            assertThat(seen.get(Loopback.PATIENCE_S, TimeUnit.SECONDS)).isEqualTo("me 10 77 5");
            assertThat(session.datagramChannel().config().getOption(ChannelOption.SO_REUSEADDR)).isTrue();
            assertThat(((InetSocketAddress) session.localAddress()).getAddress().isLoopbackAddress()).isTrue();
            Loopback.done(session.close());
        }
    }

    @Test
    void eachSessionOwnsItsConversationIdAndSocket() {
        try (Loopback loopback = new Loopback(KcpTransport.best(), 2)) {
            KcpServerChannel server = loopback.bind(EchoHandler.INSTANCE);
            Set<Integer> conversations = new HashSet<>();
            Set<Channel> sockets = new HashSet<>();
            for (int i = 0; i < 20; i++) {
                KcpChannel session = loopback.connect(server, new MessageCollector());
                conversations.add(session.conv());
                sockets.add(session.datagramChannel());
                assertThat(session.parent()).isSameAs(session.datagramChannel());
                Loopback.done(session.close());
            }
            assertThat(conversations).hasSize(20);
            assertThat(sockets).hasSize(20).allSatisfy(socket -> Loopback.ended(socket.closeFuture()));
        }
    }

    @Test
    void closingTheSocketClosesItsSession() {
        try (Loopback loopback = new Loopback(KcpTransport.best(), 1)) {
            KcpServerChannel server = loopback.bind(EchoHandler.INSTANCE);
            KcpChannel session = loopback.connect(server, new MessageCollector());
            session.datagramChannel().close();
            Loopback.ended(session.closeFuture());
            assertThat(session.closeCause()).isInstanceOfSatisfying(KcpCloseException.class,
                cause -> assertThat(cause.reason()).isEqualTo(KcpCloseReason.PARENT_CLOSED));
        }
    }

    @Test
    void invalidOptionFailsTheFuture() {
        try (Loopback loopback = new Loopback(KcpTransport.best(), 1)) {
            ChannelFuture connected = Loopback.ended(loopback.client(new MessageCollector())
                .option(KcpChannelOption.INTERVAL_MS, 1).connect(new InetSocketAddress("127.0.0.1", 9)));
            assertThat(connected.cause()).isInstanceOf(IllegalArgumentException.class).hasMessageContaining("intervalMs: 1");
            Loopback.ended(connected.channel().closeFuture());
            Loopback.ended(connected.channel().parent().closeFuture());
        }
    }

    @Test
    void bootstrapRejectsMissingOrInvalidSettingsImmediately() {
        KcpBootstrap client = new KcpBootstrap();
        InetSocketAddress any = new InetSocketAddress("127.0.0.1", 9);
        assertThatThrownBy(() -> client.connect(any)).isInstanceOf(IllegalStateException.class).hasMessageContaining("group");
        try (Loopback loopback = new Loopback(KcpTransport.best(), 1)) {
            client.group(loopback.group());
            assertThatThrownBy(() -> client.connect(any)).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("handler");
        }
        assertThatThrownBy(() -> client.socketBufferBytes(0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> client.handler((ChannelHandler) null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> client.option(KcpChannelOption.LINGER_MS, null)).isInstanceOf(NullPointerException.class)
            .hasMessageContaining("LINGER_MS");
    }

    @Test
    void randomConversationIdIsNeverZero() {
        Iterator<Integer> random = List.of(0, 0, -7).iterator();
        assertThat(BootstrapAccess.drawConv(random::next)).isEqualTo(-7);
    }
}

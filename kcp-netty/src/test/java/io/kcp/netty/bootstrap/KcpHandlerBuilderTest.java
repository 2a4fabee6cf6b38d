package io.kcp.netty.bootstrap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kcp.core.crypto.CryptoConfig;
import io.kcp.core.fec.FecConfig;
import io.kcp.netty.EchoHandler;
import io.kcp.netty.EmbeddedLink;
import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpChannelOption;
import io.kcp.netty.KcpFuture;
import io.kcp.netty.KcpHandler;
import io.kcp.netty.MessageCollector;
import io.kcp.netty.SessionRecorder;
import io.kcp.netty.WireSegment;
import io.kcp.netty.internal.handler.DefaultKcpHandler;
import io.kcp.netty.internal.handler.ListenerSettings;
import io.kcp.netty.internal.loop.LoopContext;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.socket.DatagramPacket;
import io.netty.util.AttributeKey;
import java.lang.ref.WeakReference;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests datagram channels that the application opens itself, with handlers created by a {@link KcpHandlerBuilder}. */
@Timeout(60)
class KcpHandlerBuilderTest {

    private static final AttributeKey<String> NAME = AttributeKey.valueOf(KcpHandlerBuilderTest.class, "name");
    private static final CryptoConfig CRYPTO = CryptoConfig.kcptun("aes-128-gcm", "a password");

    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, KcpTransport.best().ioHandlerFactory());

    @AfterEach
    void shutDown() {
        group.shutdownGracefully(0, 10, TimeUnit.SECONDS).syncUninterruptibly();
    }

    /** Counts the datagrams on the wire. */
    @ChannelHandler.Sharable
    private static final class Counter extends ChannelInboundHandlerAdapter {

        private final AtomicInteger datagrams = new AtomicInteger();

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            if (message instanceof DatagramPacket) {
                datagrams.incrementAndGet();
            }
            ctx.fireChannelRead(message);
        }
    }

    private Channel bind(ChannelHandler pipeline) {
        return new Bootstrap().group(group).channelFactory(KcpTransport.best().channelFactory()).handler(pipeline)
            .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)).syncUninterruptibly().channel();
    }

    /** A new session of a peer starts with the MTU to which its path reduced the session before. */
    @Test
    void handlersOfOneBuilderShareReducedMtus() {
        KcpHandlerBuilder server = new KcpHandlerBuilder(EchoHandler.INSTANCE);
        assertThat(settings(server.build()).reducedMtus()).isSameAs(settings(server.build()).reducedMtus());
        assertThat(settings(server.build()).accept().floodLog()).isSameAs(settings(server.build()).accept().floodLog());
        KcpClientHandlerBuilder client = new KcpClientHandlerBuilder();
        assertThat(settings(client.build()).reducedMtus()).isSameAs(settings(client.build()).reducedMtus());
    }

    private static ListenerSettings settings(KcpHandler handler) {
        return ((DefaultKcpHandler) handler).settings();
    }

    @Test
    void manuallyBuiltPipelinesCarryASession() throws Exception {
        Counter wire = new Counter();
        Channel parent = new EmbeddedChannel();
        Channel server = bind(new KcpHandlerBuilder(EchoHandler.INSTANCE).crypto(CRYPTO).fec(FecConfig.of(2, 1)).datagramHandler(wire)
            .parent(parent).buildPipeline());
        assertThat(server.pipeline().names()).containsSubsequence("datagrams", "crypto", "fec", "kcp");
        Channel client = bind(new KcpClientHandlerBuilder().crypto(CRYPTO).fec(FecConfig.of(2, 1)).closeWithSession(true).buildPipeline());
        MessageCollector answers = new MessageCollector();
        KcpChannel session = client.pipeline().get(KcpHandler.class)
            .connect((InetSocketAddress) server.localAddress(), 7, answers, Map.of(KcpChannelOption.LINGER_MS, 0), Map.of(NAME, "player"))
            .sync().channel();
        assertThat(session.config().getOption(KcpChannelOption.LINGER_MS)).isZero();
        assertThat(session.attr(NAME).get()).isEqualTo("player");
        session.writeAndFlush(session.alloc().buffer().writeByte('x'));
        assertThat(answers.next()).isEqualTo("x");
        assertThat(wire.datagrams).hasPositiveValue();
        server.pipeline().get(DefaultKcpHandler.class).visits()
            .visitActive(view -> assertThat(view.channel().parent()).isSameAs(parent)).sync();
        // The server acknowledges the byte only after the client has acknowledged the response, and there is no linger time.
        assertThat(session.acknowledged().await(30, TimeUnit.SECONDS)).isTrue();
        session.close().sync();
        assertThat(client.closeFuture().await(30, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void channelsOfOnePipelineShareTheSessionLimit() {
        ChannelHandler pipeline = new KcpHandlerBuilder(EchoHandler.INSTANCE).maxSessions(1).buildPipeline();
        EmbeddedChannel first = new EmbeddedChannel(pipeline);
        EmbeddedChannel second = new EmbeddedChannel(pipeline);
        for (EmbeddedChannel socket : new EmbeddedChannel[] {first, second}) {
            socket.writeInbound(new DatagramPacket(WireSegment.datagram(socket.alloc(), WireSegment.push(7, 0, 0, "x")),
                EmbeddedLink.SERVER_ADDRESS, EmbeddedLink.CLIENT_ADDRESS));
        }
        assertThat(first.pipeline().get(KcpHandler.class).collectStats().getNow().activeSessions()).isEqualTo(1);
        assertThat(second.pipeline().get(KcpHandler.class).collectStats().getNow().activeSessions()).isZero();
        first.finishAndReleaseAll();
        second.finishAndReleaseAll();
    }

    @Test
    void handlerAloneCannotBeBuiltWithACipher() {
        assertThatThrownBy(() -> new KcpHandlerBuilder(EchoHandler.INSTANCE).crypto(CRYPTO).build())
            .isInstanceOf(IllegalStateException.class).hasMessageContaining("buildPipeline()");
    }

    @Test
    void optionOutOfRangeFailsTheConnect() {
        EmbeddedChannel channel = new EmbeddedChannel(new KcpClientHandlerBuilder().build());
        KcpFuture<KcpChannel> connected = channel.pipeline().get(KcpHandler.class).connect(EmbeddedLink.SERVER_ADDRESS, 7,
            new SessionRecorder(), Map.of(KcpChannelOption.LINGER_MS, -1), Map.of());
        assertThat(connected.cause()).isInstanceOf(IllegalArgumentException.class);
        assertThat(connected.channel().isOpen()).isFalse();
        channel.finishAndReleaseAll();
    }

    /** Collects garbage while the pipeline is being built, before a handler that refers to the context has been added. */
    @ChannelHandler.Sharable
    private static final class GarbageCollection extends ChannelInboundHandlerAdapter {

        private WeakReference<LoopContext> context = new WeakReference<>(null);

        @Override
        public void handlerAdded(ChannelHandlerContext ctx) {
            context = new WeakReference<>(LoopContext.of(ctx.channel().eventLoop()));
            System.gc();
        }
    }

    @Test
    void allHandlersOfAPipelineShareOneLoopContext() {
        GarbageCollection collection = new GarbageCollection();
        Channel channel = bind(new KcpClientHandlerBuilder().datagramHandler(collection).buildPipeline());
        LoopContext context = collection.context.get();
        assertThat(context).as("the context before the garbage collection").isNotNull();
        assertThat(channel.pipeline().get(DefaultKcpHandler.class).host().loop()).isSameAs(context);
        channel.close().syncUninterruptibly();
    }
}

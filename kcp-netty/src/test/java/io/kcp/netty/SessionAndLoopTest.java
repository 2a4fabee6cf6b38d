package io.kcp.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.netty.bootstrap.KcpBootstrap;
import io.kcp.netty.bootstrap.KcpTransport;
import io.kcp.netty.internal.server.DefaultKcpServerChannel;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.DefaultEventLoop;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A session belongs to one event loop, and its methods still work after that loop has terminated. */
@Timeout(60)
class SessionAndLoopTest {

    @Test
    void sessionCannotBeRegisteredAgain() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            KcpChannel session = link.establish(1).session();
            ChannelFuture deregistered = session.deregister();
            link.client().channel().runPendingTasks();
            assertThat(deregistered.isSuccess()).isTrue();
            ChannelFuture again = link.client().channel().eventLoop().register(session);
            link.client().channel().runPendingTasks();
            assertThat(again.cause()).isInstanceOf(IllegalStateException.class);
            assertThat(link.client().stats().activeSessions()).isEqualTo(1);
            session.writeAndFlush(link.text("still the same"));
            link.settle();
            assertThat(link.accepted(0).messages()).containsExactly("hello", "still the same");
        }
    }

    private static void assertFailsAndNotifies(ChannelFuture future) throws InterruptedException {
        CountDownLatch notified = new CountDownLatch(1);
        future.addListener(done -> notified.countDown());
        assertThat(notified.await(Loopback.PATIENCE_S, TimeUnit.SECONDS)).isTrue();
        assertThat(future.cause()).isInstanceOf(ClosedChannelException.class);
    }

    @Test
    void sessionMethodsWorkAfterTheLoopHasTerminated() throws Exception {
        EventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, KcpTransport.NIO.ioHandlerFactory());
        KcpChannel session = (KcpChannel) Loopback.done(new KcpBootstrap().group(loops).handler(new MessageCollector())
            .connect(Loopback.anyPort().getHostString(), 9)).channel();
        loops.shutdownGracefully(0, 1, TimeUnit.SECONDS);
        Loopback.ended(loops.terminationFuture());
        assertFailsAndNotifies(session.acknowledged());
        ByteBuf payload = session.alloc().buffer().writeByte('x');
        assertFailsAndNotifies(session.sendOob(payload));
        assertThat(payload.refCnt()).isZero();
        assertThat(session.config().setOption(KcpChannelOption.MTU_BYTES, 1_111)).isTrue();
        assertThat(session.config().setOption(KcpChannelOption.IDLE_TIMEOUT_MS, 1_111)).isTrue();
        session.config().setAutoRead(false);
        assertThat(session.config().kcp().mtuBytes()).isEqualTo(1_111);
        assertThat(Loopback.ended(session.collectStats()).isDone()).isTrue();
    }

    @Test
    void firstMessageIsDeliveredAfterTheServerLoopHasTerminated() {
        EventLoop ended = new DefaultEventLoop();
        DefaultKcpServerChannel server = new DefaultKcpServerChannel();
        server.pipeline().addLast(new ChannelInboundHandlerAdapter());
        Loopback.done(ended.register(server));
        ended.shutdownGracefully(0, 1, TimeUnit.SECONDS);
        Loopback.ended(ended.terminationFuture());
        try (EmbeddedLink link = EmbeddedLink.create()) {
            server.onAccepted(link.establish(1).session());
            assertThat(link.accepted(0).messages()).containsExactly("hello");
        }
    }

    @Test
    void acceptingPostsNoTaskToAServerWithoutHandlers() {
        EmbeddedChannel loopOfServer = new EmbeddedChannel();
        DefaultKcpServerChannel server = new DefaultKcpServerChannel();
        Loopback.done(loopOfServer.eventLoop().register(server));
        loopOfServer.runPendingTasks();
        try (EmbeddedLink link = EmbeddedLink.create()) {
            KcpChannel session = link.establish(1).session();
            server.onAccepted(session);
            assertThat(loopOfServer.hasPendingTasks()).isFalse();
            List<Object> accepted = new ArrayList<>();
            server.pipeline().addLast(new ChannelInboundHandlerAdapter() {
                @Override
                public void channelRead(ChannelHandlerContext context, Object message) {
                    accepted.add(message);
                }
            });
            server.onAccepted(session);
            assertThat(loopOfServer.hasPendingTasks()).isTrue();
            loopOfServer.runPendingTasks();
            assertThat(accepted).containsExactly(session);
        }
        Loopback.done(server.close());
        loopOfServer.finish();
    }
}

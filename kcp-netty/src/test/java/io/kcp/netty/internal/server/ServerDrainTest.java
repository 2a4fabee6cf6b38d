package io.kcp.netty.internal.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.kcp.core.KcpConfig;
import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpChannelOption;
import io.kcp.netty.KcpCloseException;
import io.kcp.netty.KcpCloseReason;
import io.kcp.netty.KcpHandler;
import io.kcp.netty.KcpServerChannel;
import io.kcp.netty.KcpServerCloseEvent;
import io.kcp.netty.Loopback;
import io.kcp.netty.bootstrap.KcpClientHandlerBuilder;
import io.kcp.netty.bootstrap.KcpTransport;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.netty.util.concurrent.Promise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests closing a server while its sessions are busy. */
@Timeout(120)
class ServerDrainTest {

    private static final int SESSIONS = 3_000;

    private final Loopback loopback = new Loopback(KcpTransport.best(), 2);
    private final Queue<KcpChannel> accepted = new ConcurrentLinkedQueue<>();
    private final AtomicInteger answered = new AtomicInteger();

    @AfterEach
    void close() {
        loopback.close();
    }

    /** Records each accepted session and counts the messages received. */
    @ChannelHandler.Sharable
    private final class Answering extends ChannelInboundHandlerAdapter {

        @Override
        public void channelActive(ChannelHandlerContext ctx) {
            accepted.add((KcpChannel) ctx.channel());
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            ReferenceCountUtil.release(message);
            answered.incrementAndGet();
        }
    }

    /** Opens many sessions over one socket, because thousands of sockets are too many for some machines. */
    private List<KcpChannel> connect(KcpServerChannel server, int count, ChannelHandler handler) throws InterruptedException {
        KcpHandler kcp = new KcpClientHandlerBuilder().build();
        loopback.datagramChannel(kcp);
        List<KcpChannel> sessions = new ArrayList<>();
        CountDownLatch acknowledged = new CountDownLatch(count);
        for (int conv = 1; conv <= count; conv++) {
            KcpChannel session = (KcpChannel) Loopback.done(kcp.connect(server.localAddress(), conv, handler)).channel();
            session.writeAndFlush(loopback.allocator().buffer().writeByte('x'));
            session.acknowledged().addListener(done -> acknowledged.countDown());
            sessions.add(session);
        }
        assertThat(acknowledged.await(Loopback.PATIENCE_S, TimeUnit.SECONDS)).isTrue();
        return sessions;
    }

    @Test
    @Tag("slow")
    void thousandsOfSessionsAreDrainedCompletely() throws Exception {
        KcpServerChannel server = loopback.bind(loopback.server(new Answering()).config(KcpConfig.fast3())
            .childOption(KcpChannelOption.LINGER_MS, 60_000));
        AtomicInteger received = new AtomicInteger();
        connect(server, SESSIONS, new Counting(received));
        assertThat(accepted).hasSize(SESSIONS);
        accepted.forEach(session -> {
            session.write(loopback.allocator().buffer().writeZero(100));
            session.writeAndFlush(loopback.allocator().buffer().writeZero(100));
        });
        Loopback.done(server.close());
        assertThat(accepted).noneMatch(Channel::isOpen).allMatch(session -> session.closeCause() == null);
        assertThat(received).hasValue(SESSIONS * 2);
        assertThat(Loopback.result(server.collectStats()).activeSessions()).isZero();
    }

    /** Records the close events of servers and defers the close of its session. */
    private static final class Unfinished extends ChannelInboundHandlerAdapter {

        private final Promise<Void> finished;
        private final Queue<KcpServerCloseEvent> events = new ConcurrentLinkedQueue<>();

        Unfinished(Promise<Void> finished) {
            this.finished = finished;
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
            if (event instanceof KcpServerCloseEvent closing) {
                events.add(closing);
                closing.waitFor(finished);
            }
        }
    }

    private Unfinished addUnfinished(Promise<Void> finished) {
        KcpChannel session = accepted.element();
        Unfinished handler = new Unfinished(finished);
        session.pipeline().addLast(handler);
        return handler;
    }

    private static void awaitEvent(Unfinished handler) {
        await().atMost(Duration.ofSeconds(Loopback.PATIENCE_S)).until(() -> !handler.events.isEmpty());
    }

    @Test
    void handlersMayDeferTheCloseOfTheirSession() throws Exception {
        KcpServerChannel server = loopback.bind(loopback.server(new Answering()));
        connect(server, 1, new Counting(new AtomicInteger()));
        Promise<Void> onLoop = accepted.element().eventLoop().newPromise();
        Promise<Void> elsewhere = GlobalEventExecutor.INSTANCE.newPromise();
        Unfinished first = addUnfinished(onLoop);
        Unfinished second = new Unfinished(elsewhere);
        accepted.element().pipeline().addFirst(new ChannelInboundHandlerAdapter() {
            @Override
            public void userEventTriggered(ChannelHandlerContext ctx, Object event) throws Exception {
                second.userEventTriggered(ctx, event);
                ctx.fireUserEventTriggered(event);
            }
        });
        ChannelFuture closed = server.close();
        awaitEvent(first);
        onLoop.setSuccess(null);
        Loopback.result(accepted.element().collectStats());
        assertThat(accepted.element().isClosing()).isFalse();
        elsewhere.setFailure(new IllegalStateException("failed, and so done"));
        Loopback.done(closed);
        assertThat(accepted.element().isOpen()).isFalse();
        assertThat(first.events).hasSize(1);
        assertThatThrownBy(() -> first.events.element().waitFor(onLoop)).isInstanceOf(IllegalStateException.class)
            .hasMessageContaining("is already being closed");
    }

    @Test
    void closingASessionDuringDrainWaitsForNoHandler() throws Exception {
        KcpServerChannel server = loopback.bind(loopback.server(new Answering()));
        connect(server, 1, new Counting(new AtomicInteger()));
        Unfinished handler = addUnfinished(accepted.element().eventLoop().newPromise());
        ChannelFuture closed = server.close();
        awaitEvent(handler);
        Loopback.done(accepted.element().closeBecause(new IllegalStateException("evil peer")));
        Loopback.done(closed);
        assertThat(handler.finished.isDone()).isFalse();
    }

    @Test
    void sessionClosedByItsApplicationReceivesNoEvent() throws Exception {
        KcpServerChannel server = loopback.bind(loopback.server(new Answering()).childOption(KcpChannelOption.LINGER_MS, 1_000));
        KcpChannel client = connect(server, 1, new Counting(new AtomicInteger())).get(0);
        Loopback.done(client.datagramChannel().close());
        KcpChannel session = accepted.element();
        Unfinished handler = addUnfinished(session.eventLoop().newPromise());
        session.writeAndFlush(loopback.allocator().buffer().writeByte('y'));
        session.close();
        Loopback.result(session.collectStats());
        assertThat(session.isClosing()).isTrue();
        assertThat(session.isActive()).isTrue();
        Loopback.done(server.close());
        assertThat(session.isOpen()).isFalse();
        assertThat(session.isClosing()).isTrue();
        assertThat(handler.events).isEmpty();
    }

    @ChannelHandler.Sharable
    private static final class Counting extends ChannelInboundHandlerAdapter {

        private final AtomicInteger messages;

        Counting(AtomicInteger messages) {
            this.messages = messages;
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            ReferenceCountUtil.release(message);
            messages.incrementAndGet();
        }
    }

    @Test
    void sessionsWithoutPendingDataCloseImmediately() throws Exception {
        KcpServerChannel server = loopback.bind(loopback.server(new Answering()).childOption(KcpChannelOption.LINGER_MS, 3_600_000));
        connect(server, 100, new Counting(new AtomicInteger()));
        Loopback.done(server.close());
        assertThat(accepted).hasSize(100).noneMatch(Channel::isOpen);
    }

    /** The client can detect the closed server only by its inactivity. Its data is delivered, or counted as unacknowledged. */
    @Test
    void sendingClientDoesNotDelayTheCloseOfItsServer() throws Exception {
        KcpServerChannel server = loopback.bind(loopback.server(new Answering()).config(KcpConfig.fast3())
            .childOption(KcpChannelOption.LINGER_MS, 3_600_000).childOption(KcpChannelOption.CLOSE_NOTICE, false));
        AtomicReference<Throwable> failure = new AtomicReference<>();
        AtomicInteger written = new AtomicInteger();
        KcpChannel client = loopback.connect(loopback.client(new ChannelInboundHandlerAdapter() {
            @Override
            public void channelActive(ChannelHandlerContext ctx) {
                write(ctx);
            }

            private void write(ChannelHandlerContext ctx) {
                ctx.writeAndFlush(ctx.alloc().buffer().writeZero(500)).addListener((ChannelFutureListener) done -> {
                    if (done.isSuccess()) {
                        written.incrementAndGet();
                        ctx.executor().schedule(() -> write(ctx), 1, TimeUnit.MILLISECONDS);
                    }
                });
            }

            @Override
            public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
                failure.set(cause);
            }
        }).config(KcpConfig.fast3()), server.localAddress());
        awaitAtLeast(answered, 100);
        ChannelFuture closed = server.close();
        Loopback.done(closed);
        int delivered = answered.get();
        client.config().setOption(KcpChannelOption.DEAD_PEER_TIMEOUT_MS, 500);
        Loopback.ended(client.closeFuture());
        assertThat(failure.get()).isInstanceOfSatisfying(KcpCloseException.class, cause -> {
            assertThat(cause.reason()).isEqualTo(KcpCloseReason.PEER_TIMEOUT);
            assertThat(cause.unacknowledgedBytes()).isPositive();
            assertThat(delivered).as("acknowledged is delivered").isGreaterThanOrEqualTo(
                written.get() - (int) (cause.unacknowledgedBytes() / 500) - 1);
        });
    }

    private static void awaitAtLeast(AtomicInteger counter, int count) {
        await().atMost(Duration.ofSeconds(Loopback.PATIENCE_S)).until(() -> counter.get() >= count);
    }
}

package io.kcp.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.netty.bootstrap.KcpClientHandlerBuilder;
import io.kcp.netty.bootstrap.KcpTransport;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelPromise;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** All operations and events of a session run on the event loop of its socket, whichever thread calls its methods. */
@Timeout(60)
@Tag("jdk")
class ThreadConfinementTest {

    private static final int THREADS = 4;
    private static final int MESSAGES = 1_000;

    private final Queue<String> strays = new ConcurrentLinkedQueue<>();

    /** Records every event that is fired on a thread other than that of the socket. */
    private final class Watch extends ChannelDuplexHandler {

        @Override
        public boolean isSharable() {
            return true;
        }

        private void expectLoop(ChannelHandlerContext ctx, String event) {
            if (!((KcpChannel) ctx.channel()).datagramChannel().eventLoop().inEventLoop()) {
                strays.add(event + " on " + Thread.currentThread());
            }
        }

        @Override
        public void channelActive(ChannelHandlerContext ctx) {
            expectLoop(ctx, "active");
            ctx.fireChannelActive();
        }

        @Override
        public void channelInactive(ChannelHandlerContext ctx) {
            expectLoop(ctx, "inactive");
            ctx.fireChannelInactive();
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            expectLoop(ctx, "read");
            ctx.fireChannelRead(message);
        }

        @Override
        public void channelWritabilityChanged(ChannelHandlerContext ctx) {
            expectLoop(ctx, "writability");
            ctx.fireChannelWritabilityChanged();
        }

        @Override
        public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
            expectLoop(ctx, "write");
            ctx.write(message, promise);
        }

        @Override
        public void close(ChannelHandlerContext ctx, ChannelPromise promise) {
            expectLoop(ctx, "close");
            ctx.close(promise);
        }
    }

    @Test
    void writesOfEachThreadArriveInOrder() throws Exception {
        ExecutorService writers = Executors.newFixedThreadPool(THREADS);
        Watch watch = new Watch();
        try (Loopback loopback = new Loopback(KcpTransport.best(), 2)) {
            KcpServerChannel server = loopback.bind(new ChannelInitializer<KcpChannel>() {
                @Override
                protected void initChannel(KcpChannel session) {
                    session.pipeline().addLast(watch, EchoHandler.INSTANCE);
                }
            });
            MessageCollector answers = new MessageCollector();
            KcpChannel client = loopback.connect(server, answers);
            client.pipeline().addFirst(watch);
            List<Future<?>> running = new ArrayList<>();
            for (int thread = 0; thread < THREADS; thread++) {
                int writer = thread;
                running.add(writers.submit(() -> {
                    for (int i = 0; i < MESSAGES; i++) {
                        ByteBuf message = client.alloc().buffer();
                        message.writeCharSequence(writer + ":" + i, StandardCharsets.US_ASCII);
                        client.writeAndFlush(message);
                        if (i % 100 == 0) {
                            Loopback.result(client.collectStats());
                            client.config().setOption(KcpChannelOption.INTERVAL_MS, 10 + i / 100);
                            assertThat(client.acknowledged()).isNotNull();
                            client.read();
                        }
                    }
                }));
            }
            Map<String, Integer> next = new HashMap<>();
            for (int i = 0; i < THREADS * MESSAGES; i++) {
                String[] parts = answers.next().split(":");
                assertThat(Integer.parseInt(parts[1])).isEqualTo(next.getOrDefault(parts[0], 0));
                next.merge(parts[0], 1, Integer::sum);
            }
            for (Future<?> writer : running) {
                writer.get(Loopback.PATIENCE_S, TimeUnit.SECONDS);
            }
            Loopback.done(client.acknowledged());
            Loopback.done(client.close());
            assertThat(client.acknowledged().awaitUninterruptibly(Loopback.PATIENCE_S, TimeUnit.SECONDS)).isTrue();
            assertThat(strays).isEmpty();
        } finally {
            writers.shutdownNow();
        }
    }

    @Test
    void manyThreadsOpenAndCloseSessionsOnOneSocket() throws Exception {
        ExecutorService openers = Executors.newFixedThreadPool(THREADS);
        try (Loopback loopback = new Loopback(KcpTransport.best(), 2)) {
            KcpServerChannel server = loopback.bind(EchoHandler.INSTANCE);
            KcpHandler handler = new KcpClientHandlerBuilder().build();
            loopback.datagramChannel(handler);
            List<Future<?>> running = new ArrayList<>();
            for (int thread = 0; thread < THREADS; thread++) {
                int first = thread * 100;
                running.add(openers.submit(() -> {
                    for (int conv = first; conv < first + 50; conv++) {
                        MessageCollector answers = new MessageCollector();
                        KcpChannel session =
                            (KcpChannel) Loopback.done(handler.connect(server.localAddress(), conv, answers)).channel();
                        session.writeAndFlush(session.alloc().buffer().writeInt(conv));
                        assertThat(answers.next()).hasSize(4);
                        Loopback.done(session.close());
                    }
                    return null;
                }));
            }
            for (Future<?> opener : running) {
                opener.get(Loopback.PATIENCE_S, TimeUnit.SECONDS);
            }
            KcpListenerStats stats = Loopback.result(handler.collectStats());
            assertThat(stats.openedSessions()).isEqualTo(THREADS * 50);
            assertThat(stats.activeSessions()).isZero();
        } finally {
            openers.shutdownNow();
        }
    }

    /**
     * Another thread switches off automatic reads, and a handler switches them on again before the task of the other thread runs on the
     * event loop.
     */
    @Test
    void automaticReadsContinueIfTheyAreSwitchedOnAgain() throws Exception {
        try (Loopback loopback = new Loopback(KcpTransport.best(), 1)) {
            KcpServerChannel server = loopback.bind(EchoHandler.INSTANCE);
            MessageCollector answers = new MessageCollector();
            KcpChannel client = loopback.connect(server, answers);
            Loopback.result(client.eventLoop().submit(() -> {
                Thread other = new Thread(() -> client.config().setAutoRead(false));
                other.start();
                other.join();
                client.config().setAutoRead(true);
                return true;
            }));
            client.writeAndFlush(client.alloc().buffer().writeBytes("echo".getBytes(StandardCharsets.US_ASCII)));
            assertThat(answers.next()).isEqualTo("echo");
        }
    }
}

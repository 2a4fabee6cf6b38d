package io.kcp.netty.internal.handler;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.netty.EmbeddedLink;
import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpHandler;
import io.kcp.netty.KcpListenerStats;
import io.kcp.netty.bootstrap.KcpClientHandlerBuilder;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SelectStrategy;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.util.concurrent.Future;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.spi.SelectorProvider;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ListenerStatsCollectorTest {

    private static final int SESSIONS = 1_000;
    private static final int BYTES_EACH = 10;

    @Test
    void sessionClosedDuringCollectionIsCountedOnce() {
        try (EmbeddedLink link = EmbeddedLink.create()) {
            List<KcpChannel> sessions = new ArrayList<>();
            for (int conv = 1; conv <= SESSIONS; conv++) {
                KcpChannel session = link.connect(conv).session();
                session.writeAndFlush(link.bytes(BYTES_EACH));
                sessions.add(session);
            }
            link.settle();
            Future<KcpListenerStats> stats = link.client().handler().collectStats();
            assertThat(stats.isDone()).as("in one turn").isFalse();
            sessions.get(0).close();
            sessions.get(SESSIONS - 1).close();
            link.settle();
            link.client().channel().runScheduledPendingTasks();
            assertThat(stats.getNow().sessions().bytesSent()).isEqualTo(SESSIONS * BYTES_EACH);
            assertThat(stats.getNow().activeSessions()).as("when it began").isEqualTo(SESSIONS);
        }
    }

    @Test
    void loopPollsForDatagramsBetweenTwoTurns() throws Exception {
        AtomicInteger looks = new AtomicInteger();
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory(SelectorProvider.provider(),
            () -> (selectNow, hasTasks) -> {
                looks.incrementAndGet();
                return hasTasks ? selectNow.get() : SelectStrategy.SELECT;
            }));
        KcpHandler handler = new KcpClientHandlerBuilder().build();
        try {
            InetSocketAddress loopback = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
            new Bootstrap().group(group).channel(NioDatagramChannel.class).handler(handler).bind(loopback).sync();
            InetSocketAddress nobody = new InetSocketAddress(InetAddress.getLoopbackAddress(), 9);
            for (int conv = 1; conv <= SESSIONS; conv++) {
                handler.connect(nobody, conv, new ChannelInboundHandlerAdapter()).sync();
            }
            CompletableFuture<Integer> during = new CompletableFuture<>();
            group.execute(() -> {
                int before = looks.get();
                handler.collectStats().addListener(done -> during.complete(looks.get() - before));
            });
            assertThat(during.get(30, TimeUnit.SECONDS)).isGreaterThanOrEqualTo(5);
        } finally {
            group.shutdownGracefully(0, 0, TimeUnit.SECONDS).sync();
        }
    }

    @Test
    void collectionCompletesWhileTheLoopShutsDown() throws Exception {
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
        KcpHandler handler = new KcpClientHandlerBuilder().build();
        InetSocketAddress loopback = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        new Bootstrap().group(group).channel(NioDatagramChannel.class).handler(handler).bind(loopback).sync();
        InetSocketAddress nobody = new InetSocketAddress(InetAddress.getLoopbackAddress(), 9);
        for (int conv = 1; conv <= SESSIONS; conv++) {
            handler.connect(nobody, conv, new ChannelInboundHandlerAdapter()).sync();
        }
        Future<KcpListenerStats> stats = group.submit(() -> {
            Future<KcpListenerStats> begun = handler.collectStats();
            group.shutdownGracefully(0, 0, TimeUnit.SECONDS);
            return begun;
        }).get(30, TimeUnit.SECONDS);
        assertThat(stats.get(30, TimeUnit.SECONDS).activeSessions()).isEqualTo(SESSIONS);
    }
}

package io.kcp.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.kcp.netty.bootstrap.KcpBootstrap;
import io.kcp.netty.bootstrap.KcpClientHandlerBuilder;
import io.kcp.netty.bootstrap.KcpHandlerBuilder;
import io.kcp.netty.bootstrap.KcpServerBootstrap;
import io.kcp.netty.bootstrap.KcpTransport;
import io.kcp.netty.internal.handler.DefaultKcpHandler;
import io.kcp.netty.internal.handler.OpeningPromise;
import io.kcp.netty.internal.server.ServerDrain;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.DefaultEventLoop;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.nio.channels.ClosedChannelException;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Bind and connect fail if their event loops have terminated or terminate before the operation completes. */
@Timeout(120)
class OpeningOnEndingLoopsTest {

    private static final int ROUNDS = 60;

    private static EventLoopGroup loops(KcpTransport transport, int count) {
        assumeTrue(transport.isAvailable(), () -> transport + " does not work here");
        return new MultiThreadIoEventLoopGroup(count, transport.ioHandlerFactory());
    }

    private static Future<?> shutDown(EventLoopGroup loops) {
        return loops.shutdownGracefully(0, Loopback.PATIENCE_S, TimeUnit.SECONDS);
    }

    private static ChannelFuture bind(EventLoopGroup loops, InetSocketAddress address) {
        return new KcpServerBootstrap().group(loops).childHandler(EchoHandler.INSTANCE).bind(address);
    }

    private static KcpBootstrap client(EventLoopGroup loops) {
        return new KcpBootstrap().group(loops).handler(new MessageCollector());
    }

    private static InetSocketAddress freePort() throws SocketException {
        try (DatagramSocket socket = new DatagramSocket(Loopback.anyPort())) {
            return (InetSocketAddress) socket.getLocalSocketAddress();
        }
    }

    private static void assertListenersAreCalled(ChannelFuture future) throws InterruptedException {
        CountDownLatch called = new CountDownLatch(1);
        future.addListener(done -> called.countDown());
        assertThat(called.await(Loopback.PATIENCE_S, TimeUnit.SECONDS)).as("%s notifies its listeners", future).isTrue();
    }

    private static void assertFailsAndIsClosed(ChannelFuture opening) throws InterruptedException {
        assertThat(Loopback.ended(opening).cause()).isInstanceOfAny(RejectedExecutionException.class, ClosedChannelException.class,
            IllegalStateException.class);
        assertListenersAreCalled(opening);
        Loopback.ended(opening.channel().closeFuture());
        assertThat(opening.channel().isOpen()).isFalse();
    }

    private static ChannelGroup groupOf(ChannelFuture opening) {
        ChannelGroup group = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
        group.add(opening.channel());
        return group;
    }

    private static void assertTellsItsEnd(Channel session, ChannelGroup group) throws InterruptedException {
        assertListenersAreCalled(session.closeFuture());
        assertListenersAreCalled(session.close());
        assertThat(group.newCloseFuture().await(Loopback.PATIENCE_S, TimeUnit.SECONDS)).isTrue();
        assertThat(group.isEmpty()).isTrue();
    }

    @ParameterizedTest
    @EnumSource
    void bindOnTerminatedLoopsFailsImmediately(KcpTransport transport) throws Exception {
        EventLoopGroup loops = loops(transport, 2);
        Loopback.ended(shutDown(loops));
        ChannelFuture bound = bind(loops, Loopback.anyPort());
        assertThat(bound.isDone()).isTrue();
        assertFailsAndIsClosed(bound);
    }

    @ParameterizedTest
    @EnumSource
    void connectOnTerminatedLoopsFailsImmediately(KcpTransport transport) throws Exception {
        EventLoopGroup loops = loops(transport, 1);
        Loopback.ended(shutDown(loops));
        ChannelFuture connected = client(loops).connect(Loopback.anyPort());
        assertThat(connected.isDone()).isTrue();
        assertFailsAndIsClosed(connected);
        assertTellsItsEnd(connected.channel(), groupOf(connected));
        assertThat(connected.channel().parent()).as("no socket was opened").isNull();
    }

    @Test
    void connectThroughAHandlerOfATerminatedLoopFails() throws Exception {
        EventLoopGroup loops = loops(KcpTransport.NIO, 1);
        KcpHandler handler = new KcpClientHandlerBuilder().build();
        Loopback.done(new Bootstrap().group(loops).channelFactory(KcpTransport.NIO.channelFactory()).handler(handler)
            .bind(Loopback.anyPort()));
        Loopback.ended(shutDown(loops));
        ChannelFuture connected = handler.connect(freePort(), 7, new MessageCollector());
        assertThat(connected.isDone()).isTrue();
        assertFailsAndIsClosed(connected);
        assertTellsItsEnd(connected.channel(), groupOf(connected));
    }

    @Test
    void drainCompletesForASocketOfATerminatedLoop() throws Exception {
        EventLoopGroup loops = loops(KcpTransport.NIO, 1);
        EventLoop serverLoop = new DefaultEventLoop();
        DefaultKcpHandler handler = (DefaultKcpHandler) new KcpHandlerBuilder(EchoHandler.INSTANCE).build();
        Channel socket = Loopback.done(new Bootstrap().group(loops).channelFactory(KcpTransport.NIO.channelFactory()).handler(handler)
            .bind(Loopback.anyPort())).channel();
        Loopback.ended(shutDown(loops));
        CountDownLatch drained = new CountDownLatch(1);
        ServerDrain drain = new ServerDrain(serverLoop, List.of(socket), drained::countDown);
        serverLoop.execute(() -> drain.start(List.of(handler)));
        assertThat(drained.await(30, TimeUnit.SECONDS)).isTrue();
        serverLoop.shutdownGracefully(0, Loopback.PATIENCE_S, TimeUnit.SECONDS);
    }

    @Test
    void bindOnATerminatingLoopFails() throws Exception {
        EventLoopGroup loops = loops(KcpTransport.best(), 1);
        CountDownLatch release = new CountDownLatch(1);
        loops.next().execute(() -> {
            try {
                release.await(Loopback.PATIENCE_S, TimeUnit.SECONDS);
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
            }
        });
        ChannelFuture bound = bind(loops, Loopback.anyPort());
        shutDown(loops);
        release.countDown();
        assertFailsAndIsClosed(bound);
        Loopback.ended(loops.terminationFuture());
    }

    @Test
    void connectFailsIfTheLoopTerminatesDuringNameResolution() throws Exception {
        EventLoopGroup loops = loops(KcpTransport.best(), 1);
        ChannelFuture connected = client(loops).resolver(new OneName()).connect("slow.example", 9);
        Loopback.ended(loops.next().submit(() -> { }));
        assertThat(connected.isDone()).isFalse();
        ChannelGroup group = groupOf(connected);
        shutDown(loops);
        assertFailsAndIsClosed(connected);
        assertTellsItsEnd(connected.channel(), group);
        Loopback.ended(connected.channel().parent().closeFuture());
    }

    @ParameterizedTest
    @EnumSource
    void bindCompletesWheneverItsLoopsTerminate(KcpTransport transport) throws Exception {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int round = 0; round < ROUNDS; round++) {
            EventLoopGroup loops = loops(transport, 3);
            InetSocketAddress address = freePort();
            ChannelFuture bound = bind(loops, address);
            LockSupport.parkNanos(random.nextInt(30_000_000) >> random.nextInt(12));
            shutDown(loops);
            Loopback.ended(bound);
            Loopback.ended(bound.channel().closeFuture());
            Loopback.ended(loops.terminationFuture());
            if (transport != KcpTransport.IO_URING) {
                // io_uring closes sockets asynchronously, and a terminated loop may not process the completion.
                try (DatagramSocket socket = new DatagramSocket(address)) {
                    assertThat(socket.isBound()).as("no socket is left, seed %d", seed).isTrue();
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void connectCompletesWheneverItsLoopsTerminate(KcpTransport transport) throws Exception {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int round = 0; round < ROUNDS; round++) {
            EventLoopGroup loops = loops(transport, 2);
            ChannelFuture connected = client(loops).connect(new InetSocketAddress("localhost", 9));
            LockSupport.parkNanos(random.nextInt(3_000_000) >> random.nextInt(12));
            shutDown(loops);
            Loopback.ended(connected);
            Loopback.ended(loops.terminationFuture());
            Loopback.ended(connected.channel().closeFuture());
            if (transport != KcpTransport.IO_URING) {
                // io_uring closes sockets asynchronously, and a terminated loop may not process the completion.
                assertThat(connected.channel().parent()).as("seed %d", seed).matches(socket -> socket == null || !socket.isOpen());
            }
        }
    }

    @Test
    void listenersAreNotifiedIfTheLoopTerminatesJustBefore() throws Exception {
        EventLoop ending = new DefaultEventLoop() {
            @Override
            public void execute(Runnable task) {
                throw new RejectedExecutionException("ended since it was asked");
            }
        };
        assertThat(ending.isShutdown()).isFalse();
        assertListenersAreCalled(new OpeningPromise<>(new EmbeddedChannel(), ending).setSuccess());
    }
}

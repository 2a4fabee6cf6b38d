package io.kcp.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.kcp.netty.bootstrap.BootstrapAccess;
import io.kcp.netty.bootstrap.KcpBootstrap;
import io.kcp.netty.bootstrap.KcpServerBootstrap;
import io.kcp.netty.bootstrap.KcpTransport;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.concurrent.Future;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Servers and sessions are closed when their event loops shut down without a quiet period. */
@Timeout(120)
@Tag("jdk")
class LoopShutdownTest {

    private static final int ROUNDS = 25;
    /** More than 64 tasks: a loop checks only after every 64 tasks whether its time limit of one second has passed. */
    private static final int TASKS = 1_000;
    private static final long TURN_NANOS = TimeUnit.MILLISECONDS.toNanos(1_050);

    private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true, true);
    /** Sockets and event loops allocate their receive reserves with the default allocator. */
    private final long reservesBefore = UnpooledByteBufAllocator.DEFAULT.metric().usedDirectMemory();

    private static EventLoopGroup loops(KcpTransport transport, int count) {
        assumeTrue(transport.isAvailable(), () -> transport + " does not work here");
        return new MultiThreadIoEventLoopGroup(count, transport.ioHandlerFactory());
    }

    private KcpServerChannel bind(EventLoopGroup loops) {
        return (KcpServerChannel) Loopback.done(new KcpServerBootstrap().group(loops).option(ChannelOption.ALLOCATOR, allocator)
            .childOption(ChannelOption.ALLOCATOR, allocator).childHandler(EchoHandler.INSTANCE).bind(Loopback.anyPort())).channel();
    }

    private KcpChannel connect(EventLoopGroup loops, KcpServerChannel server) throws InterruptedException {
        MessageCollector answers = new MessageCollector();
        KcpChannel session = (KcpChannel) Loopback.done(new KcpBootstrap().group(loops).option(ChannelOption.ALLOCATOR, allocator)
            .socketOption(ChannelOption.ALLOCATOR, allocator).handler(answers).connect(server.localAddress())).channel();
        session.writeAndFlush(allocator.buffer().writeByte('x'));
        assertThat(answers.next()).isEqualTo("x");
        return session;
    }

    private static void shutDown(EventLoopGroup loops) {
        loops.shutdownGracefully(0, Loopback.PATIENCE_S, TimeUnit.SECONDS);
    }

    private void assertNothingIsLeft(KcpTransport transport, KcpServerChannel server, List<KcpChannel> sessions) {
        Loopback.ended(server.closeFuture());
        assertThat(server.isOpen()).isFalse();
        if (transport != KcpTransport.IO_URING) {
            // io_uring closes sockets asynchronously. A loop that shuts down may no longer process the completion.
            server.datagramChannels().forEach(socket -> Loopback.ended(socket.closeFuture()));
            sessions.forEach(session -> Loopback.ended(session.datagramChannel().closeFuture()));
        }
        for (KcpChannel session : sessions) {
            Loopback.ended(session.closeFuture());
            assertThat(session.closeCause()).isInstanceOfSatisfying(KcpCloseException.class,
                cause -> assertThat(cause.reason()).isEqualTo(KcpCloseReason.PARENT_CLOSED));
        }
        assertThat(allocator.metric().usedDirectMemory() + allocator.metric().usedHeapMemory()).as("bytes in buffers").isZero();
        assertThat(UnpooledByteBufAllocator.DEFAULT.metric().usedDirectMemory()).as("bytes in receive reserves")
            .isLessThanOrEqualTo(reservesBefore);
    }

    /** Shuts down the only loop after it has checked for a shutdown request, while it still has tasks when it confirms the shutdown. */
    private static void shutDownAtTheWrongMoment(EventLoopGroup loops) {
        EventLoop loop = loops.next();
        loop.execute(() -> {
            shutDown(loops);
            loop.execute(() -> LockSupport.parkNanos(TURN_NANOS));
            for (int i = 0; i < TASKS; i++) {
                loop.execute(() -> { });
            }
        });
        Loopback.ended(loops.terminationFuture());
    }

    @ParameterizedTest
    @EnumSource
    void shutdownOfABusyLoopLeavesNothingOpen(KcpTransport transport) throws Exception {
        EventLoopGroup loops = loops(transport, 1);
        KcpServerChannel server = bind(loops);
        KcpChannel session = connect(loops, server);
        shutDownAtTheWrongMoment(loops);
        assertNothingIsLeft(transport, server, List.of(session));
    }

    @ParameterizedTest
    @EnumSource
    @Tag("slow")
    void shutdownAtAnyMomentLeavesNothingOpen(KcpTransport transport) throws Exception {
        for (int round = 0; round < ROUNDS; round++) {
            EventLoopGroup loops = loops(transport, 3);
            KcpServerChannel server = bind(loops);
            List<KcpChannel> sessions = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                sessions.add(connect(loops, server));
            }
            shutDown(loops);
            Loopback.ended(loops.terminationFuture());
            assertNothingIsLeft(transport, server, sessions);
        }
    }

    @ParameterizedTest
    @EnumSource
    void closingServerClosesWhenItsLoopsShutDown(KcpTransport transport) throws Exception {
        EventLoopGroup clients = loops(transport, 1);
        for (int round = 0; round < ROUNDS; round++) {
            EventLoopGroup loops = loops(transport, 3);
            KcpServerChannel server = bind(loops);
            for (int i = 0; i < 4; i++) {
                connect(clients, server);
            }
            // Depending on the round, the loops shut down while sessions close, while sockets close, or afterwards.
            ChannelFuture closed = server.close();
            LockSupport.parkNanos(round * 20_000L);
            shutDown(loops);
            Loopback.done(closed);
            Loopback.ended(server.closeFuture());
            Loopback.ended(loops.terminationFuture());
        }
        Loopback.ended(clients.shutdownGracefully(0, Loopback.PATIENCE_S, TimeUnit.SECONDS));
    }

    @ParameterizedTest
    @EnumSource
    void handlerThatDefersTheCloseLeavesNothingOpen(KcpTransport transport) throws Exception {
        EventLoopGroup loops = loops(transport, 1);
        KcpServerChannel server = bind(loops);
        KcpChannel session = connect(loops, server);
        for (Channel socket : server.datagramChannels()) {
            socket.pipeline().addLast(new ChannelOutboundHandlerAdapter() {
                @Override
                public void close(ChannelHandlerContext context, ChannelPromise promise) {
                    // Waits for an event that does not come.
                }
            });
        }
        shutDown(loops);
        Loopback.ended(loops.terminationFuture());
        assertNothingIsLeft(transport, server, List.of(session));
    }

    @ParameterizedTest
    @EnumSource
    void serverThatLostASocketLeavesNothingOpen(KcpTransport transport) {
        assumeTrue(BootstrapAccess.balancesPort(transport), () -> transport + " has one socket");
        EventLoopGroup loops = loops(transport, 2);
        KcpServerChannel server = bind(loops);
        Channel own = server.datagramChannels().stream().filter(socket -> socket.eventLoop() == server.eventLoop()).findFirst()
            .orElseThrow();
        Loopback.done(own.close());
        Loopback.ended(server.closeFuture());
        shutDown(loops);
        Loopback.ended(loops.terminationFuture());
        assertNothingIsLeft(transport, server, List.of());
    }

    /** The peer never responds, so that all futures are pending when the loops shut down. */
    @ParameterizedTest
    @EnumSource
    void pendingFuturesCompleteWhenLoopsShutDown(KcpTransport transport) throws Exception {
        for (int round = 0; round < 5; round++) {
            EventLoopGroup loops = loops(transport, 2);
            KcpServerChannel server = bind(loops);
            List<Future<?>> pending = new ArrayList<>();
            try (DatagramSocket nobody = new DatagramSocket(Loopback.anyPort())) {
                for (int i = 0; i < 4; i++) {
                    KcpChannel session = (KcpChannel) Loopback.done(new KcpBootstrap().group(loops)
                        .option(ChannelOption.ALLOCATOR, allocator).socketOption(ChannelOption.ALLOCATOR, allocator)
                        .handler(new MessageCollector()).connect((InetSocketAddress) nobody.getLocalSocketAddress())).channel();
                    pending.add(session.write(allocator.buffer().writeByte('x')));
                    pending.add(session.writeAndFlush(allocator.buffer().writeByte('x')));
                    pending.add(session.acknowledged());
                    pending.add(session.collectStats());
                    pending.add(session.closeFuture());
                    pending.add(i % 2 == 0 ? session.close() : session.acknowledged());
                }
                pending.add(server.collectStats());
                pending.add(server.stopAccepting());
                pending.add(server.closeFuture());
                pending.add(server.close());
                shutDown(loops);
                Loopback.ended(loops.terminationFuture());
                pending.forEach(Loopback::ended);
            }
        }
    }
}

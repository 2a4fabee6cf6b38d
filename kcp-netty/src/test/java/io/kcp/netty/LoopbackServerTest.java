package io.kcp.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.kcp.netty.bootstrap.BootstrapAccess;
import io.kcp.netty.bootstrap.KcpTransport;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.util.ReferenceCountUtil;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests how servers bind to ports and how they close. */
@Timeout(60)
@Tag("jdk")
class LoopbackServerTest {

    private static int portOf(Channel channel) {
        return ((InetSocketAddress) channel.localAddress()).getPort();
    }

    @ParameterizedTest
    @EnumSource
    void portZeroChoosesOnePortForAllSockets(KcpTransport transport) {
        try (Loopback loopback = new Loopback(transport, 3)) {
            KcpServerChannel server = loopback.bind(EchoHandler.INSTANCE);
            assertThat(server.localAddress().getPort()).isPositive();
            assertThat(server.datagramChannels()).hasSize(BootstrapAccess.balancesPort(transport) ? 3 : 1)
                .allMatch(socket -> portOf(socket) == server.localAddress().getPort())
                .doesNotHaveDuplicates();
            assertThat(server.datagramChannels()).extracting(Channel::eventLoop).doesNotHaveDuplicates();
            assertThatThrownBy(() -> server.datagramChannels().clear()).isInstanceOf(UnsupportedOperationException.class);
        }
    }

    @ParameterizedTest
    @EnumSource
    void serversBoundToWildcardAndIpv6Answer(KcpTransport transport) throws Exception {
        try (Loopback loopback = new Loopback(transport, 2)) {
            KcpServerChannel all = loopback.bind(loopback.server(EchoHandler.INSTANCE), new InetSocketAddress(0));
            assertThat(all.localAddress().getAddress().isAnyLocalAddress()).isTrue();
            assertAnswers(loopback, new InetSocketAddress("127.0.0.1", all.localAddress().getPort()));
            InetSocketAddress ipv6 = new InetSocketAddress("::1", 0);
            ChannelFuture bound = Loopback.ended(loopback.server(EchoHandler.INSTANCE).bind(ipv6));
            assumeTrue(bound.isSuccess(), () -> "no IPv6 here: " + bound.cause());
            assertAnswers(loopback, ((KcpServerChannel) bound.channel()).localAddress());
            Loopback.done(bound.channel().close());
        }
    }

    private static void assertAnswers(Loopback loopback, InetSocketAddress server) throws InterruptedException {
        MessageCollector answers = new MessageCollector();
        KcpChannel client = loopback.connect(loopback.client(answers), server);
        client.writeAndFlush(client.alloc().buffer().writeByte('x'));
        assertThat(answers.next()).isEqualTo("x");
    }

    @ParameterizedTest
    @EnumSource
    void socketCountIsConfigurableIfTheTransportSharesPorts(KcpTransport transport) {
        try (Loopback loopback = new Loopback(transport, 2)) {
            KcpServerChannel server = loopback.bind(loopback.server(EchoHandler.INSTANCE).sockets(5));
            assertThat(server.datagramChannels()).hasSize(BootstrapAccess.balancesPort(transport) ? 5 : 1);
        }
    }

    @ParameterizedTest
    @EnumSource
    void bindingAPortInUseFailsWithItsAddress(KcpTransport transport) throws Exception {
        for (int loops = 1; loops <= 2; loops++) {
            try (Loopback loopback = new Loopback(transport, loops)) {
                KcpServerChannel first = loopback.bind(EchoHandler.INSTANCE);
                ChannelFuture second = Loopback.ended(loopback.server(EchoHandler.INSTANCE).bind(first.localAddress()));
                assertThat(second.cause()).isInstanceOf(BindException.class)
                    .hasMessageContaining(String.valueOf(first.localAddress().getPort())).hasMessageContaining("127.0.0.1");
                Loopback.ended(second.channel().closeFuture());
                assertThat(second.channel().isOpen()).isFalse();
                assertThat(((KcpServerChannel) second.channel()).datagramChannels()).noneMatch(Channel::isOpen);
                assertThat(first.isActive()).isTrue();
                assertAnswers(loopback, first.localAddress());
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void onlyOneConcurrentBindGetsThePort(KcpTransport transport) throws Exception {
        int winners = 0;
        try (Loopback loopback = new Loopback(transport, 2)) {
            for (int round = 0; round < 20; round++) {
                KcpServerChannel before = loopback.bind(EchoHandler.INSTANCE);
                Loopback.done(before.close());
                List<ChannelFuture> binding = new ArrayList<>();
                for (int i = 0; i < 4; i++) {
                    binding.add(loopback.server(EchoHandler.INSTANCE).bind(before.localAddress()));
                }
                binding.forEach(Loopback::ended);
                List<ChannelFuture> bound = binding.stream().filter(ChannelFuture::isSuccess).toList();
                assertThat(bound).hasSizeLessThanOrEqualTo(1);
                winners += bound.size();
                binding.forEach(server -> Loopback.ended(server.channel().close()));
            }
        }
        // All may fail in a round, because each finds the port in use by another one. With NIO, all may fail in each round, because the JDK
        // releases the port of a closed socket late.
        assertThat(winners).isGreaterThanOrEqualTo(transport == KcpTransport.NIO ? 0 : 15);
    }

    @ParameterizedTest
    @EnumSource
    void sharedPortRejectsAServerThatDoesNotShareIt(KcpTransport transport) {
        try (Loopback loopback = new Loopback(transport, 1)) {
            KcpServerChannel first = loopback.bind(loopback.server(EchoHandler.INSTANCE)
                .sharedPort(BootstrapAccess.balancesPort(transport)));
            ChannelFuture second = Loopback.ended(loopback.server(EchoHandler.INSTANCE).sockets(2).bind(first.localAddress()));
            assertThat(second.cause()).isInstanceOf(BindException.class);
        }
    }

    @ParameterizedTest
    @EnumSource
    void stoppingAcceptKeepsExistingSessions(KcpTransport transport) throws Exception {
        Queue<KcpChannel> sessions = new ConcurrentLinkedQueue<>();
        try (Loopback loopback = new Loopback(transport, 2)) {
            KcpServerChannel server = loopback.bind(echoAndKeep(sessions));
            MessageCollector answers = new MessageCollector();
            KcpChannel early = loopback.connect(server, answers);
            early.writeAndFlush(early.alloc().buffer().writeByte('x'));
            assertThat(answers.next()).isEqualTo("x");
            Loopback.result(server.stopAccepting());
            for (int i = 0; i < 4; i++) {
                KcpChannel late = loopback.connect(server, new MessageCollector());
                late.writeAndFlush(late.alloc().buffer().writeByte('z'));
            }
            long untilNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(Loopback.PATIENCE_S);
            while (Loopback.result(server.collectStats()).dropped().getOrDefault(DropReason.CLOSING, 0L) < 4) {
                assertThat(System.nanoTime() - untilNanos).as("datagrams of late sessions were not dropped").isNegative();
            }
            early.writeAndFlush(early.alloc().buffer().writeByte('y'));
            assertThat(answers.next()).isEqualTo("y");
            assertThat(sessions).hasSize(1);
            assertThat(server.isOpen()).isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource
    void sharedPortAllowsASecondServer(KcpTransport transport) {
        assumeTrue(BootstrapAccess.balancesPort(transport), () -> transport + " does not balance a port");
        try (Loopback loopback = new Loopback(transport, 1)) {
            KcpServerChannel first = loopback.bind(loopback.server(EchoHandler.INSTANCE).sharedPort(true));
            KcpServerChannel second = (KcpServerChannel) Loopback.done(
                loopback.server(EchoHandler.INSTANCE).sharedPort(true).bind(first.localAddress())).channel();
            assertThat(second.localAddress()).isEqualTo(first.localAddress());
            Loopback.done(second.close());
        }
    }

    @ParameterizedTest
    @EnumSource
    void closingServerDeliversQueuedWritesFirst(KcpTransport transport) throws Exception {
        int bytes = 300_000;
        BlockingQueue<KcpChannel> sessions = new LinkedBlockingQueue<>();
        try (Loopback loopback = new Loopback(transport, 2)) {
            KcpServerChannel server = loopback.bind(loopback.server(new ChannelInboundHandlerAdapter() {
                @Override
                public boolean isSharable() {
                    return true;
                }

                @Override
                public void channelRead(ChannelHandlerContext ctx, Object message) {
                    ReferenceCountUtil.release(message);
                    for (int i = 0; i < 10; i++) {
                        ctx.write(ctx.alloc().buffer(bytes / 10).writeZero(bytes / 10));
                    }
                    ctx.flush();
                    sessions.add((KcpChannel) ctx.channel());
                }
            }).childOption(KcpChannelOption.LINGER_MS, 20_000));
            MessageCollector[] answers = new MessageCollector[8];
            for (int i = 0; i < answers.length; i++) {
                answers[i] = new MessageCollector();
                KcpChannel client = loopback.connect(server, answers[i]);
                client.writeAndFlush(client.alloc().buffer().writeByte('x'));
            }
            KcpChannel[] open = new KcpChannel[answers.length];
            for (int i = 0; i < open.length; i++) {
                open[i] = sessions.poll(Loopback.PATIENCE_S, TimeUnit.SECONDS);
            }
            ChannelFuture first = server.close();
            ChannelFuture second = server.close();
            Loopback.done(first);
            Loopback.done(second);
            for (int i = 0; i < open.length; i++) {
                assertThat(open[i].isOpen()).isFalse();
                assertThat(open[i].closeCause()).as("drained").isNull();
                assertThat(answers[i].next(10)).allMatch(message -> message.length() == bytes / 10);
            }
            assertThat(server.isOpen()).isFalse();
            assertThat(server.datagramChannels()).noneMatch(Channel::isOpen);
            assertPortIsFree(loopback, server.localAddress());
        }
    }

    private static void assertPortIsFree(Loopback loopback, InetSocketAddress address) {
        // NIO releases a closed socket only some event-loop iterations later, when its selector deregisters it.
        // With io_uring, the kernel first cancels operations in flight. Epoll sockets are closed immediately.
        int patienceSeconds = loopback.transport() == KcpTransport.EPOLL ? 0 : Loopback.PATIENCE_S;
        long untilNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(patienceSeconds);
        ChannelFuture next;
        do {
            next = Loopback.ended(loopback.server(EchoHandler.INSTANCE).bind(address));
        } while (!next.isSuccess() && System.nanoTime() - untilNanos < 0);
        assertThat(Loopback.done(next).channel().localAddress()).isEqualTo(address);
        Loopback.done(next.channel().close());
    }

    @ParameterizedTest
    @EnumSource
    void closingServerAcceptsNoNewSessions(KcpTransport transport) throws Exception {
        Queue<KcpChannel> sessions = new ConcurrentLinkedQueue<>();
        try (Loopback loopback = new Loopback(transport, 1)) {
            KcpServerChannel server = loopback.bind(echoAndKeep(sessions));
            MessageCollector answers = new MessageCollector();
            KcpChannel client = loopback.connect(server, answers);
            client.writeAndFlush(client.alloc().buffer().writeByte('x'));
            answers.next();
            // The session lingers, because its client no longer responds.
            client.datagramChannel().config().setAutoRead(false);
            KcpChannel session = sessions.peek();
            session.config().setOption(KcpChannelOption.LINGER_MS, 700);
            Loopback.done(session.writeAndFlush(session.alloc().buffer().writeByte('y')));
            ChannelFuture closed = server.close();
            KcpChannel late = loopback.connect(server, new MessageCollector());
            late.writeAndFlush(late.alloc().buffer().writeByte('z'));
            Loopback.done(closed);
            assertThat(sessions).hasSize(1);
            assertThat(session.isOpen()).isFalse();
        }
    }

    @ParameterizedTest
    @EnumSource
    void serverClosesWhenItsSocketsAreClosed(KcpTransport transport) {
        try (Loopback loopback = new Loopback(transport, 2)) {
            KcpServerChannel server = loopback.bind(EchoHandler.INSTANCE);
            server.datagramChannels().forEach(Channel::close);
            Loopback.ended(server.closeFuture());
            assertThat(server.isOpen()).isFalse();
        }
    }

    @Test
    void serverClosedDuringBindLeavesNoSocket() {
        try (Loopback loopback = new Loopback(KcpTransport.best(), 2)) {
            for (int i = 0; i < 20; i++) {
                ChannelFuture binding = loopback.server(EchoHandler.INSTANCE).bind(Loopback.anyPort());
                KcpServerChannel server = (KcpServerChannel) binding.channel();
                Loopback.ended(server.close());
                Loopback.ended(binding);
                // Sockets bound in the meantime are closed on the loop that bound them.
                loopback.group().forEach(loop -> Loopback.ended(loop.submit(() -> { })));
                Loopback.ended(server.eventLoop().submit(() -> { }));
                server.datagramChannels().forEach(socket -> Loopback.ended(socket.closeFuture()));
                assertThat(server.isOpen()).isFalse();
            }
        }
    }

    /** Returns an initializer that adds each session to the queue and echoes its messages. */
    private static ChannelInitializer<KcpChannel> echoAndKeep(Queue<KcpChannel> sessions) {
        return new ChannelInitializer<>() {
            @Override
            protected void initChannel(KcpChannel session) {
                sessions.add(session);
                session.pipeline().addLast(EchoHandler.INSTANCE);
            }
        };
    }
}

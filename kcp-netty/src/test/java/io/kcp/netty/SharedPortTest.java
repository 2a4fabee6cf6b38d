package io.kcp.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.kcp.core.KcpConfig;
import io.kcp.netty.bootstrap.BootstrapAccess;
import io.kcp.netty.bootstrap.KcpServerBootstrap;
import io.kcp.netty.bootstrap.KcpTransport;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Servers with several sockets on one port, for which the kernel reassigns peers to other sockets as soon as one socket closes. */
@Timeout(120)
class SharedPortTest {

    private static final int SOCKETS = 4;
    /** More than a receive window of 128 segments, so that a client that does not read prevents its session from completing. */
    private static final int MESSAGES = 256;
    private static final int MESSAGE_BYTES = 1_000;

    private final Map<Integer, KcpChannel> accepted = new ConcurrentHashMap<>();
    private final List<Reader> readers = new ArrayList<>();

    /** Counts the messages that a client receives, and reads only while the test allows it. */
    private static final class Reader extends ChannelInboundHandlerAdapter {

        private final CountDownLatch missing = new CountDownLatch(MESSAGES);

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            ((ByteBuf) message).release();
            missing.countDown();
        }
    }

    private static Loopback loopback(KcpTransport transport, int loops) {
        assumeTrue(BootstrapAccess.balancesPort(transport), () -> transport + " has one socket: it does not balance SO_REUSEPORT");
        return new Loopback(transport, loops);
    }

    private KcpServerBootstrap keeping(Loopback loopback, CountDownLatch opened) {
        return loopback.server(new ChannelInitializer<KcpChannel>() {
            @Override
            protected void initChannel(KcpChannel session) {
                session.pipeline().addLast(new ChannelInboundHandlerAdapter() {
                    @Override
                    public void channelRead(ChannelHandlerContext ctx, Object message) {
                        ((ByteBuf) message).release();
                        accepted.put(session.conv(), session);
                        opened.countDown();
                    }
                });
            }
        }).config(KcpConfig.fast3()).childOption(KcpChannelOption.LINGER_MS, 15_000);
    }

    private List<KcpChannel> connect(Loopback loopback, KcpServerChannel server, CountDownLatch opened, boolean reading)
        throws InterruptedException {
        List<KcpChannel> clients = new ArrayList<>();
        for (int conv = 1; conv <= opened.getCount(); conv++) {
            Reader reader = new Reader();
            readers.add(reader);
            clients.add(loopback.connect(loopback.client(reader).conv(conv).config(KcpConfig.fast3())
                .option(ChannelOption.AUTO_READ, reading), server.localAddress()));
        }
        clients.forEach(client -> client.writeAndFlush(loopback.allocator().buffer().writeByte('x')));
        assertThat(opened.await(Loopback.PATIENCE_S, TimeUnit.SECONDS)).isTrue();
        return clients;
    }

    private void writeAll(Loopback loopback) {
        accepted.values().forEach(session -> session.eventLoop().execute(() -> {
            for (int i = 0; i < MESSAGES; i++) {
                session.write(loopback.allocator().buffer().writeZero(MESSAGE_BYTES), session.voidPromise());
            }
            session.flush();
        }));
    }

    private void assertAllDelivered() throws InterruptedException {
        assertThat(accepted.values()).extracting(KcpChannel::closeCause).containsOnlyNulls();
        for (Reader reader : readers) {
            assertThat(reader.missing.await(Loopback.PATIENCE_S, TimeUnit.SECONDS)).isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource
    @Tag("slow")
    void socketsStayOpenUntilAllSessionsAreClosed(KcpTransport transport) throws Exception {
        try (Loopback loopback = loopback(transport, SOCKETS)) {
            CountDownLatch opened = new CountDownLatch(60);
            KcpServerChannel server = loopback.bind(keeping(loopback, opened));
            List<KcpChannel> clients = connect(loopback, server, opened, false);
            Channel first = server.datagramChannels().get(0);
            writeAll(loopback);
            ChannelFuture closed = server.close();
            List<KcpChannel> waiting = new ArrayList<>();
            for (KcpChannel client : clients) {
                KcpChannel session = accepted.get(client.conv());
                if (session.datagramChannel() == first) {
                    client.config().setAutoRead(true);
                    Loopback.ended(session.closeFuture());
                } else {
                    waiting.add(client);
                }
            }
            assertThat(waiting).as("sessions of the other sockets").isNotEmpty().hasSizeLessThan(clients.size());
            Loopback.result(first.eventLoop().submit(() -> { }));
            assertThat(server.datagramChannels()).allMatch(Channel::isOpen);
            waiting.forEach(client -> client.config().setAutoRead(true));
            Loopback.done(closed);
            assertAllDelivered();
            assertThat(server.datagramChannels()).noneMatch(Channel::isOpen);
        }
    }

    @ParameterizedTest
    @EnumSource
    @Tag("slow")
    void serverClosedWithDataPendingDeliversAll(KcpTransport transport) throws Exception {
        for (int sockets = 3; sockets <= SOCKETS; sockets++) {
            accepted.clear();
            readers.clear();
            try (Loopback loopback = loopback(transport, sockets)) {
                // Uses fewer clients with io_uring, because its completion queue holds 4,096 entries.
                CountDownLatch opened = new CountDownLatch(transport == KcpTransport.IO_URING ? 40 : 200);
                KcpServerChannel server = loopback.bind(keeping(loopback, opened));
                connect(loopback, server, opened, true);
                writeAll(loopback);
                Loopback.done(server.close());
                assertAllDelivered();
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void losingOneSocketClosesTheServer(KcpTransport transport) throws Exception {
        BlockingQueue<Throwable> failures = new LinkedBlockingQueue<>();
        try (Loopback loopback = loopback(transport, 3)) {
            CountDownLatch opened = new CountDownLatch(30);
            KcpServerChannel server = loopback.bind(keeping(loopback, opened).handler(new ChannelInboundHandlerAdapter() {
                @Override
                public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
                    failures.add(cause);
                }
            }));
            connect(loopback, server, opened, true);
            Channel lost = server.datagramChannels().get(1);
            Loopback.done(lost.close());
            Loopback.ended(server.closeFuture());
            assertThat(server.isAccepting()).isFalse();
            server.datagramChannels().forEach(socket -> Loopback.ended(socket.closeFuture()));
            assertThat(failures.poll(Loopback.PATIENCE_S, TimeUnit.SECONDS)).hasMessageContaining(lost.toString());
            assertThat(failures).isEmpty();
            accepted.values().forEach(session -> {
                Loopback.ended(session.closeFuture());
                assertThat(session.closeCause()).isInstanceOfSatisfying(KcpCloseException.class,
                    cause -> assertThat(cause.reason()).isEqualTo(KcpCloseReason.PARENT_CLOSED));
            });
        }
    }
}

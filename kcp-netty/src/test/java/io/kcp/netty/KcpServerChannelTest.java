package io.kcp.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.kcp.netty.bootstrap.BootstrapAccess;
import io.kcp.netty.bootstrap.KcpServerBootstrap;
import io.kcp.netty.bootstrap.KcpTransport;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.ServerChannel;
import io.netty.util.AttributeKey;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
@Tag("jdk")
class KcpServerChannelTest {

    private static final AttributeKey<String> NAME = AttributeKey.valueOf(KcpServerChannelTest.class, "name");

    /** Records the events of a server's pipeline and the thread of each event. */
    private static final class ServerRecorder extends ChannelInboundHandlerAdapter {

        private final BlockingQueue<Object> events = new LinkedBlockingQueue<>();

        @Override
        public void channelActive(ChannelHandlerContext ctx) {
            events.add("active");
        }

        @Override
        public void channelInactive(ChannelHandlerContext ctx) {
            events.add("inactive");
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            assertThat(ctx.channel().eventLoop().inEventLoop()).isTrue();
            events.add(message);
        }

        private Object next() throws InterruptedException {
            return events.poll(Loopback.PATIENCE_S, TimeUnit.SECONDS);
        }
    }

    private static void say(KcpChannel client) {
        Loopback.done(client.writeAndFlush(client.alloc().buffer().writeByte('x')));
    }

    @Test
    void serverPipelineReceivesEverySession() throws Exception {
        ServerRecorder recorder = new ServerRecorder();
        try (Loopback loopback = new Loopback(KcpTransport.best(), 2)) {
            KcpServerChannel server = loopback.bind(loopback.server(EchoHandler.INSTANCE).handler(recorder).attr(NAME, "front"));
            assertThat(server).isInstanceOf(ServerChannel.class);
            assertThat(server.isActive()).isTrue();
            assertThat(server.attr(NAME).get()).isEqualTo("front");
            assertThat(recorder.next()).isEqualTo("active");
            Set<InetSocketAddress> clients = new HashSet<>();
            Set<Object> peers = new HashSet<>();
            for (int i = 0; i < 10; i++) {
                KcpChannel client = loopback.connect(server, new MessageCollector());
                clients.add((InetSocketAddress) client.localAddress());
                say(client);
                KcpChannel session = (KcpChannel) recorder.next();
                assertThat(session.parent()).isSameAs(server);
                assertThat(server.datagramChannels()).contains(session.datagramChannel());
                assertThat(session.datagramChannel()).isNotSameAs(server);
                peers.add(session.remoteAddress());
            }
            assertThat(peers).isEqualTo(clients);
            Loopback.done(server.close());
            assertThat(recorder.next()).isEqualTo("inactive");
            assertThat(server.closeFuture().isDone()).isTrue();
        }
    }

    @Test
    void statisticsAreTheSumOfAllSockets() throws Exception {
        int clients = 40;
        try (Loopback loopback = new Loopback(KcpTransport.best(), 4)) {
            KcpServerChannel server = loopback.bind(loopback.server(EchoHandler.INSTANCE)
                .childOption(KcpChannelOption.CLOSE_NOTICE, false));
            KcpListenerStats before = Loopback.result(server.collectStats());
            assertThat(before).usingRecursiveComparison().ignoringFields("sockets").isEqualTo(KcpListenerStats.ZERO);
            assertThat(before.sockets()).hasSameSizeAs(server.datagramChannels())
                .allSatisfy(socket -> assertThat(socket.activeSessions() + socket.datagramsIn() + socket.datagramsOut()).isZero());
            for (int i = 0; i < clients; i++) {
                MessageCollector answers = new MessageCollector();
                KcpChannel client = loopback.connect(server, answers);
                if (i % 2 == 0) {
                    client.datagramChannel().writeAndFlush(client.alloc().buffer().writeByte('?'));
                }
                client.writeAndFlush(client.alloc().buffer().writeZero(10));
                answers.next();
                if (i % 2 == 0) {
                    Loopback.done(client.close());
                }
            }
            KcpListenerStats stats = Loopback.result(server.collectStats());
            assertThat(stats.openedSessions()).isEqualTo(clients);
            assertThat(stats.activeSessions()).as("the server is not notified").isEqualTo(clients);
            assertThat(stats.sockets().stream().mapToLong(KcpSocketStats::activeSessions).sum()).isEqualTo(clients);
            assertThat(stats.sessions().bytesReceived()).isEqualTo(10L * clients);
            assertThat(stats.sessions().bytesSent()).isEqualTo(10L * clients);
            assertThat(stats.dropped()).containsOnlyKeys(DropReason.NOT_KCP);
            assertThat(stats.dropped().get(DropReason.NOT_KCP)).isEqualTo(clients / 2);
        }
    }

    @Test
    void statisticsAreReadableAfterClose() throws Exception {
        try (Loopback loopback = new Loopback(KcpTransport.best(), 2)) {
            KcpServerChannel server = loopback.bind(EchoHandler.INSTANCE);
            MessageCollector answers = new MessageCollector();
            say(loopback.connect(server, answers));
            answers.next();
            Loopback.done(server.close());
            KcpListenerStats stats = Loopback.result(server.collectStats());
            assertThat(stats.activeSessions()).isZero();
            assertThat(stats.openedSessions()).isEqualTo(1);
            assertThat(stats.sessions().bytesReceived()).isEqualTo(1);
        }
    }

    @Test
    void socketClosedDuringBindFailsTheFutureWithoutWarning() {
        try (RecordedLog log = new RecordedLog("io"); Loopback loopback = new Loopback(KcpTransport.best(), 1)) {
            ChannelFuture bound = loopback.server(EchoHandler.INSTANCE).datagramHandler(new ChannelOutboundHandlerAdapter() {
                @Override
                public void bind(ChannelHandlerContext context, SocketAddress local, ChannelPromise promise) {
                    context.bind(local).addListener(done -> context.close().addListener(closed -> promise.setSuccess()));
                }
            }).bind(Loopback.anyPort());
            assertThat(Loopback.ended(bound).cause()).isInstanceOf(ClosedChannelException.class);
            Loopback.ended(bound.channel().closeFuture());
            assertThat(log.messages()).isEmpty();
        }
    }

    @Test
    void serverRejectsConnect() {
        try (Loopback loopback = new Loopback(KcpTransport.best(), 1)) {
            KcpServerChannel server = loopback.bind(EchoHandler.INSTANCE);
            ChannelFuture connected = Loopback.ended(server.connect(server.localAddress()));
            assertThat(connected.cause()).isInstanceOf(UnsupportedOperationException.class);
            assertThat(server.isActive()).isTrue();
        }
    }

    @Test
    void bootstrapRejectsMissingOrInvalidSettingsImmediately() {
        KcpServerBootstrap server = new KcpServerBootstrap();
        InetSocketAddress any = Loopback.anyPort();
        assertThatThrownBy(() -> server.bind(any)).isInstanceOf(IllegalStateException.class).hasMessageContaining("group");
        try (Loopback loopback = new Loopback(KcpTransport.best(), 1)) {
            server.group(loopback.group());
            assertThatThrownBy(() -> server.bind(any)).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("childHandler");
        }
        assertThatThrownBy(() -> server.bind(InetSocketAddress.createUnresolved("nowhere", 1)))
            .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("localAddress");
        assertThatThrownBy(() -> server.sockets(0)).isInstanceOf(IllegalArgumentException.class).hasMessageContaining("sockets: 0");
        assertThatThrownBy(() -> server.maxSessions(0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> server.maxSessionsPerAddress(-1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> server.maxUnvalidatedSessions(0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> server.socketBufferBytes(0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> server.childHandler((ChannelHandler) null)).isInstanceOf(NullPointerException.class);
    }

    @Test
    void limitsAndFilterApplyToEverySocket() throws Exception {
        try (Loopback loopback = new Loopback(KcpTransport.best(), 2)) {
            KcpServerChannel server = loopback.bind(loopback.server(EchoHandler.INSTANCE).sockets(1).maxSessions(1)
                .maxSessionsPerAddress(1).acceptFilter((peer, conv) -> conv != 13)
                .foreignDatagrams((ctx, packet) -> packet.content().readableBytes() == 3));
            KcpChannel refused = loopback.connect(loopback.client(new MessageCollector()).conv(13), server.localAddress());
            say(refused);
            // The second client connects only afterwards, because the limit on sessions is checked before the filter.
            while (!Loopback.result(server.collectStats()).dropped().containsKey(DropReason.FILTERED)) {
                Thread.onSpinWait();
            }
            MessageCollector answers = new MessageCollector();
            KcpChannel client = loopback.connect(loopback.client(answers).conv(14), server.localAddress());
            assertThat(client.conv()).isEqualTo(14);
            client.datagramChannel().writeAndFlush(client.alloc().buffer().writeZero(3));
            say(client);
            answers.next();
            KcpListenerStats stats = Loopback.result(server.collectStats());
            assertThat(stats.openedSessions()).isEqualTo(1);
            assertThat(stats.dropped()).containsOnlyKeys(DropReason.FILTERED);
        }
    }

    /** A socket that does not accept yet is only detected by chance, so the test is repeated. */
    @RepeatedTest(20)
    void bindCompletesAfterEverySocketAccepts() throws Exception {
        try (Loopback loopback = new Loopback(KcpTransport.best(), 4)) {
            assumeTrue(BootstrapAccess.balancesPort(loopback.transport()), "one socket");
            KcpServerChannel server = loopback.bind(loopback.server(EchoHandler.INSTANCE).sockets(4));
            List<MessageCollector> answers = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                answers.add(new MessageCollector());
                say(loopback.connect(server, answers.get(i)));
            }
            for (MessageCollector answer : answers) {
                answer.next();
            }
            assertThat(Loopback.result(server.collectStats()).dropped()).isEmpty();
        }
    }

    @Test
    void sessionLimitCountsAllSocketsTogether() throws Exception {
        try (Loopback loopback = new Loopback(KcpTransport.best(), 4)) {
            assumeTrue(BootstrapAccess.balancesPort(loopback.transport()), "one socket");
            KcpServerChannel server = loopback.bind(loopback.server(EchoHandler.INSTANCE).sockets(4).maxSessions(3));
            for (int i = 0; i < 3; i++) {
                MessageCollector answers = new MessageCollector();
                KcpChannel validated = loopback.connect(server, answers);
                say(validated);
                answers.next();
                // Once the second message has arrived, so has the ACK of the first response, which validates the session.
                say(validated);
                answers.next();
            }
            for (int i = 0; i < 9; i++) {
                say(loopback.connect(server, new MessageCollector()));
            }
            KcpListenerStats stats = Loopback.result(server.collectStats());
            while (stats.dropped().getOrDefault(DropReason.SESSION_LIMIT, 0L) < 9) {
                stats = Loopback.result(server.collectStats());
            }
            assertThat(stats.openedSessions()).isEqualTo(3);
            assertThat(stats.dropped()).containsOnlyKeys(DropReason.SESSION_LIMIT);
        }
    }
}

package io.kcp.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.netty.bootstrap.KcpTransport;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A socket error affects only single datagrams. No session or server closes, and lost data is retransmitted. */
@Timeout(60)
class LoopbackFailureTest {

    /** Records the errors that a socket reports, then forwards them. */
    private static final class ErrorRecorder extends ChannelInboundHandlerAdapter {

        private final BlockingQueue<Throwable> errors = new LinkedBlockingQueue<>();

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            errors.add(cause);
            ctx.fireExceptionCaught(cause);
        }
    }

    private static KcpChannel patient(Loopback loopback, InetSocketAddress server, MessageCollector answers) {
        return loopback.connect(loopback.client(answers).option(KcpChannelOption.NO_DELAY, true), server);
    }

    @ParameterizedTest
    @EnumSource
    void clientSurvivesRefusalsUntilItsServerStarts(KcpTransport transport) throws Exception {
        try (Loopback loopback = new Loopback(transport, 1)) {
            InetSocketAddress address = Loopback.freePort();
            MessageCollector answers = new MessageCollector();
            KcpChannel client = patient(loopback, address, answers);
            ErrorRecorder recorder = new ErrorRecorder();
            client.datagramChannel().pipeline().addFirst(recorder);
            client.writeAndFlush(client.alloc().buffer().writeByte('a'));
            for (int i = 0; i < 2; i++) {
                assertThat(recorder.errors.poll(Loopback.PATIENCE_S, TimeUnit.SECONDS)).as("port unreachable")
                    .isInstanceOf(IOException.class);
            }
            assertThat(client.isActive()).isTrue();
            assertThat(client.datagramChannel().isActive()).isTrue();
            assertThat(answers.exceptions()).as("the session hears nothing of it").isEmpty();
            loopback.bind(loopback.server(EchoHandler.INSTANCE), address);
            assertThat(answers.next()).isEqualTo("a");
            KcpHandler handler = client.datagramChannel().pipeline().get(KcpHandler.class);
            assertThat(Loopback.result(handler.collectStats()).socketErrors()).isGreaterThanOrEqualTo(2);
        }
    }

    @ParameterizedTest
    @EnumSource
    void serverServesOthersAfterAClientVanishes(KcpTransport transport) throws Exception {
        try (Loopback loopback = new Loopback(transport, 1)) {
            BlockingQueue<KcpChannel> sessions = new LinkedBlockingQueue<>();
            KcpServerChannel server = loopback.bind(new ChannelInboundHandlerAdapter() {
                @Override
                public boolean isSharable() {
                    return true;
                }

                @Override
                public void channelRead(ChannelHandlerContext ctx, Object message) {
                    sessions.add((KcpChannel) ctx.channel());
                    ctx.writeAndFlush(message);
                }
            });
            MessageCollector lost = new MessageCollector();
            KcpChannel gone = loopback.connect(server, lost);
            gone.writeAndFlush(gone.alloc().buffer().writeByte('a'));
            lost.next();
            Loopback.done(gone.datagramChannel().close());
            KcpChannel orphan = sessions.poll(Loopback.PATIENCE_S, TimeUnit.SECONDS);
            for (int i = 0; i < 20; i++) {
                Loopback.done(orphan.writeAndFlush(orphan.alloc().buffer().writeByte('b')));
            }
            MessageCollector answers = new MessageCollector();
            KcpChannel client = loopback.connect(server, answers);
            client.writeAndFlush(client.alloc().buffer().writeByte('c'));
            assertThat(answers.next()).isEqualTo("c");
            assertThat(orphan.isActive()).isTrue();
            assertThat(server.datagramChannels()).allMatch(socket -> socket.isActive());
        }
    }

    @ParameterizedTest
    @EnumSource
    void oversizedDatagramsAreCountedAndDropped(KcpTransport transport) throws Exception {
        try (Loopback loopback = new Loopback(transport, 1); DatagramSocket stranger = new DatagramSocket()) {
            KcpServerChannel server = loopback.bind(EchoHandler.INSTANCE);
            ByteBuf oversized =
                WireSegment.datagram(loopback.allocator(), WireSegment.push(7, 0, 0, "x".repeat(5_000)));
            byte[] bytes = new byte[oversized.readableBytes()];
            oversized.readBytes(bytes).release();
            for (int i = 0; i < 10; i++) {
                stranger.send(new DatagramPacket(bytes, bytes.length, server.localAddress()));
            }
            MessageCollector answers = new MessageCollector();
            KcpChannel client = patient(loopback, server.localAddress(), answers);
            client.writeAndFlush(client.alloc().buffer().writeByte('a'));
            assertThat(answers.next()).isEqualTo("a");
            KcpListenerStats stats = Loopback.result(server.collectStats());
            assertThat(stats.dropped()).containsOnlyKeys(DropReason.NOT_KCP);
            assertThat(stats.openedSessions()).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @EnumSource
    @Tag("slow")
    void temporarilyRefusedWritesLoseNothing(KcpTransport transport) throws Exception {
        AtomicInteger refused = new AtomicInteger();
        try (Loopback loopback = new Loopback(transport, 1)) {
            KcpServerChannel server = loopback.bind(EchoHandler.INSTANCE);
            MessageCollector answers = new MessageCollector();
            KcpChannel client = patient(loopback, server.localAddress(), answers);
            client.datagramChannel().pipeline().addFirst(new ChannelOutboundHandlerAdapter() {
                @Override
                public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
                    if (refused.incrementAndGet() <= 30) {
                        ReferenceCountUtil.release(message);
                        promise.tryFailure(new IOException("No buffer space available"));
                    } else {
                        ctx.write(message, promise);
                    }
                }
            });
            for (int i = 0; i < 50; i++) {
                client.write(client.alloc().buffer().writeZero(1_000));
            }
            client.flush();
            assertThat(answers.next(50)).allMatch(message -> message.length() == 1_000);
            assertThat(refused.get()).isGreaterThan(30);
            assertThat(client.isActive()).isTrue();
            KcpHandler handler = client.datagramChannel().pipeline().get(KcpHandler.class);
            assertThat(Loopback.result(handler.collectStats()).socketErrors()).isEqualTo(30);
        }
    }
}

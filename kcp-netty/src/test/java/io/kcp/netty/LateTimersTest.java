package io.kcp.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.KcpConfig;
import io.kcp.core.SegmentHeader;
import io.kcp.core.crypto.CryptoConfig;
import io.kcp.netty.loop.LoopContext;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ManualIoEventLoop;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.MockTicker;
import io.netty.util.concurrent.Ticker;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests a server whose event loop was blocked, with a virtual clock, an event loop that the test runs, and a client without KCP. */
@Timeout(60)
class LateTimersTest {

    private static final int CONV = 1;
    private static final int MAX_ITERATIONS = 1_000;
    private static final int STALL_MS = 2_000;

    private final MockTicker clock = Ticker.newMockTicker();
    private final ManualIoEventLoop loop = new ManualIoEventLoop(null, Thread.currentThread(), NioIoHandler.newFactory(), clock);
    private final DatagramSocket client;
    private KcpServerChannel server;
    private Runnable duringNextRead = () -> { };

    LateTimersTest() throws IOException {
        client = new DatagramSocket(0, InetAddress.getLoopbackAddress());
        client.setSoTimeout(30_000);
    }

    /** Echoes each message. */
    @ChannelHandler.Sharable
    private final class Echo extends ChannelInboundHandlerAdapter {

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            Runnable action = duringNextRead;
            duringNextRead = () -> { };
            action.run();
            context.writeAndFlush(message);
        }
    }

    @AfterEach
    void close() {
        client.close();
        Future<?> terminated = loop.shutdownGracefully(0, 0, TimeUnit.MILLISECONDS);
        run(terminated);
    }

    private void run(Future<?> future) {
        for (int i = 0; i < MAX_ITERATIONS && !future.isDone(); i++) {
            loop.runNow();
        }
        assertThat(future.isDone()).isTrue();
    }

    private void bind() {
        bind(new KcpServerBootstrap());
    }

    private void bind(KcpServerBootstrap bootstrap) {
        KcpFuture<KcpServerChannel> bound = bootstrap.group(loop).config(KcpConfig.fast3()).childHandler(new Echo())
            .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        run(bound);
        server = bound.channel();
    }

    private void send(WireSegment... segments) {
        ByteBuf datagram = WireSegment.datagram(UnpooledByteBufAllocator.DEFAULT, segments);
        byte[] bytes = new byte[datagram.readableBytes()];
        datagram.readBytes(bytes).release();
        try {
            client.send(new DatagramPacket(bytes, bytes.length, server.localAddress()));
        } catch (IOException failure) {
            throw new IllegalStateException(failure);
        }
    }

    /** Sends a message and returns the PUSH segment with its echo. */
    private WireSegment exchange(int sn) throws IOException {
        send(WireSegment.push(CONV, sn, 0, "message"));
        loop.runNow();
        return receivePush();
    }

    private WireSegment receivePush() throws IOException {
        while (true) {
            DatagramPacket packet = new DatagramPacket(new byte[2_048], 2_048);
            client.receive(packet);
            List<WireSegment> segments = WireSegment.parse(Unpooled.wrappedBuffer(packet.getData(), 0, packet.getLength()));
            for (WireSegment segment : segments) {
                if (segment.isPush()) {
                    return segment;
                }
            }
        }
    }

    private long retransmissions() {
        Future<KcpListenerStats> stats = server.collectStats();
        run(stats);
        return stats.getNow().sessions().retransmissions();
    }

    private void acknowledge(WireSegment echo) {
        send(new WireSegment(CONV, SegmentHeader.CMD_ACK, 0, WireSegment.WINDOW, echo.ts(), echo.sn(), echo.sn() + 1, ""));
    }

    @Test
    void blockedEventLoopReadsAcknowledgementsBeforeItRetransmits() throws IOException {
        bind();
        WireSegment first = exchange(0);
        duringNextRead = () -> {
            acknowledge(first);
            clock.advanceMillis(STALL_MS);
        };
        WireSegment second = exchange(1);
        for (int i = 0; i < 10; i++) {
            loop.runNow();
        }
        assertThat(retransmissions()).as("the acknowledgement was waiting in the socket").isZero();
        acknowledge(second);
        loop.runNow();
        clock.advanceMillis(STALL_MS);
        loop.runNow();
        assertThat(retransmissions()).isZero();
    }

    @Test
    void blockedEventLoopRetransmitsWithoutAnAcknowledgement() throws IOException {
        bind();
        exchange(0);
        duringNextRead = () -> clock.advanceMillis(STALL_MS);
        exchange(1);
        for (int i = 0; i < 10; i++) {
            loop.runNow();
            clock.advanceMillis(5);
        }
        assertThat(retransmissions()).isPositive();
    }

    @Test
    void datagramsThatCannotBeDecryptedCountAsBacklog() throws IOException {
        bind(new KcpServerBootstrap().crypto(CryptoConfig.kcptun("aes-128-gcm", "k")));
        for (int i = 0; i < 300; i++) {
            client.send(new DatagramPacket(new byte[100], 100, server.localAddress()));
        }
        LoopContext context = LoopContext.of(loop);
        loop.runNow();
        assertThat(context.isBehind()).as("a read batch ends after 256 datagrams").isTrue();
        loop.runNow();
        assertThat(context.isBehind()).as("drained").isFalse();
    }
}

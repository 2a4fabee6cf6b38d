package io.kcp.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.KcpConfig;
import io.kcp.core.SegmentHeader;
import io.kcp.core.crypto.CryptoConfig;
import io.kcp.netty.bootstrap.KcpServerBootstrap;
import io.kcp.netty.bootstrap.KcpTransport;
import io.kcp.netty.internal.loop.LoopContext;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests a server whose event loop was blocked, with a virtual clock, an event loop that the test runs, and a client without KCP. */
@Timeout(60)
class LateTimersTest {

    private static final int CONV = 1;
    private static final int STALL_MS = 2_000;

    private final ServerOnTestThread server = new ServerOnTestThread(KcpTransport.NIO);
    private final DatagramSocket client;
    private Runnable duringNextRead = () -> { };

    LateTimersTest() throws IOException {
        client = ServerOnTestThread.newClient();
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
        server.close();
    }

    private void bind() {
        bind(new KcpServerBootstrap());
    }

    private void bind(KcpServerBootstrap bootstrap) {
        server.bind(bootstrap.config(KcpConfig.fast3()).childHandler(new Echo()));
    }

    private void send(WireSegment... segments) {
        try {
            server.sendFrom(client, segments);
        } catch (IOException failure) {
            throw new IllegalStateException(failure);
        }
    }

    /** Sends a message and returns the PUSH segment with its echo. */
    private WireSegment exchange(int sn) throws IOException {
        send(WireSegment.push(CONV, sn, 0, "message"));
        server.runNow();
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
        Future<KcpListenerStats> stats = server.channel().collectStats();
        server.runUntil(stats::isDone);
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
            server.clock().advanceMillis(STALL_MS);
        };
        WireSegment second = exchange(1);
        server.run(10);
        assertThat(retransmissions()).as("the acknowledgement was waiting in the socket").isZero();
        acknowledge(second);
        server.runNow();
        server.clock().advanceMillis(STALL_MS);
        server.runNow();
        assertThat(retransmissions()).isZero();
    }

    @Test
    void blockedEventLoopRetransmitsWithoutAnAcknowledgement() throws IOException {
        bind();
        exchange(0);
        duringNextRead = () -> server.clock().advanceMillis(STALL_MS);
        exchange(1);
        for (int i = 0; i < 10; i++) {
            server.runNow();
            server.clock().advanceMillis(5);
        }
        assertThat(retransmissions()).isPositive();
    }

    @Test
    void datagramsThatCannotBeDecryptedCountAsBacklog() throws IOException {
        bind(new KcpServerBootstrap().crypto(CryptoConfig.kcptun("aes-128-gcm", "k")));
        for (int i = 0; i < 300; i++) {
            server.sendFrom(client, new byte[100]);
        }
        LoopContext context = LoopContext.of(server.loop());
        server.runNow();
        assertThat(context.isBehind()).as("a read batch ends after 256 datagrams").isTrue();
        server.runNow();
        assertThat(context.isBehind()).as("drained").isFalse();
    }
}

package io.kcp.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.KcpConfig;
import io.kcp.core.SegmentHeader;
import io.kcp.netty.bootstrap.KcpServerBootstrap;
import io.kcp.netty.bootstrap.KcpTransport;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests how long the close of a server waits for peers that do not respond, with a virtual clock. */
@Timeout(60)
class ServerDrainTimeTest {

    private static final int MAX_MS = 20_000;

    private final ServerOnTestThread server = new ServerOnTestThread(KcpTransport.NIO);
    private final DatagramSocket clients;
    private final List<KcpChannel> accepted = new ArrayList<>();

    ServerDrainTimeTest() throws IOException {
        clients = ServerOnTestThread.newClient();
        clients.setSoTimeout(30_000);
    }

    @AfterEach
    void close() {
        clients.close();
        server.closeWhileTimePasses();
    }

    @ChannelHandler.Sharable
    private final class Accepting extends ChannelInboundHandlerAdapter {

        @Override
        public void channelActive(ChannelHandlerContext ctx) {
            accepted.add((KcpChannel) ctx.channel());
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            ReferenceCountUtil.release(message);
        }
    }

    /** Opens sessions whose peers acknowledge one message, and later send nothing more. */
    private void open(int count, int lingerMs) throws IOException {
        server.bind(new KcpServerBootstrap().config(KcpConfig.fast3()).childOption(KcpChannelOption.LINGER_MS, lingerMs)
            .childHandler(new Accepting()));
        for (int conv = 1; conv <= count; conv++) {
            server.sendFrom(clients, WireSegment.push(conv, 0, 0, "x"));
            int opened = conv;
            server.runUntil(() -> accepted.size() == opened);
            KcpChannel session = accepted.get(conv - 1);
            session.writeAndFlush(session.alloc().buffer().writeByte('y'));
            server.runNow();
            WireSegment message = receiveMessage(conv);
            server.sendFrom(clients, new WireSegment(conv, SegmentHeader.CMD_ACK, 0, WireSegment.WINDOW, message.ts(), 0, 1, ""));
            server.runUntil(session.acknowledged()::isDone);
        }
    }

    private WireSegment receiveMessage(int conv) throws IOException {
        while (true) {
            DatagramPacket packet = new DatagramPacket(new byte[2_048], 2_048);
            clients.receive(packet);
            for (WireSegment segment : WireSegment.parse(Unpooled.wrappedBuffer(packet.getData(), 0, packet.getLength()))) {
                if (segment.isPush() && segment.conv() == conv) {
                    return segment;
                }
            }
        }
    }

    private long nowMs() {
        return TimeUnit.NANOSECONDS.toMillis(server.clock().nanoTime());
    }

    /** Writes to each session, closes the server, and returns the milliseconds after which each session was closed. */
    private List<Long> closeTimesMs(int bytes) {
        accepted.forEach(session -> session.writeAndFlush(session.alloc().buffer().writeZero(bytes)));
        server.runNow();
        long beganMs = nowMs();
        List<Long> times = new ArrayList<>();
        accepted.forEach(session -> session.closeFuture().addListener(closed -> times.add(nowMs() - beganMs)));
        ChannelFuture closed = server.channel().close();
        for (int i = 0; i < MAX_MS && !closed.isDone(); i++) {
            server.runNow();
            server.clock().advanceMillis(1);
        }
        assertThat(closed.isSuccess()).isTrue();
        assertThat(accepted).extracting(session -> ((KcpCloseException) session.closeCause()).reason())
            .containsOnly(KcpCloseReason.LINGER_EXPIRED);
        return times;
    }

    @Test
    void eachSessionHasItsOwnLingerTime() throws Exception {
        open(3, 0);
        accepted.get(0).config().setOption(KcpChannelOption.LINGER_MS, 50);
        accepted.get(1).config().setOption(KcpChannelOption.LINGER_MS, 400);
        assertThat(closeTimesMs(1)).hasSize(3).satisfies(times -> {
            assertThat(times.get(0)).as("no linger time").isZero();
            assertThat(times.get(1)).isBetween(50L, 60L);
            assertThat(times.get(2)).isBetween(400L, 410L);
        });
    }

    /** Simulates clients of kcp-go, which send nothing when they close. */
    @Test
    void vanishedClientsDelayTheCloseByASecond() throws Exception {
        open(50, 5_000);
        assertThat(closeTimesMs(1_000)).hasSize(50).allSatisfy(ms -> assertThat(ms).isBetween(1_000L, 1_200L));
    }

    @Test
    void longerLingerTimeToleratesLongerPausesOfThePeers() throws Exception {
        open(2, 15_000);
        assertThat(closeTimesMs(1_000)).hasSize(2).allSatisfy(ms -> assertThat(ms).isBetween(3_000L, 3_400L));
    }
}

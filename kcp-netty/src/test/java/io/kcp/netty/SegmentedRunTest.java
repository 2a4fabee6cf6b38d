package io.kcp.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.kcp.core.SegmentHeader;
import io.kcp.netty.bootstrap.KcpTransport;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.channel.socket.DatagramPacket;
import io.netty.channel.unix.SegmentedDatagramPacket;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Datagrams that a peer sends with one system call (GSO) are received as separate datagrams. */
@Timeout(60)
class SegmentedRunTest {

    private static final int CONV = 7;
    private static final int SEGMENTS = 40;
    private static final String PAYLOAD = "p".repeat(1_000);

    private final MessageCollector received = new MessageCollector();
    private final BlockingQueue<WireSegment> answers = new LinkedBlockingQueue<>();

    private ByteBuf run(Loopback loopback) {
        ByteBuf run = loopback.allocator().directBuffer();
        for (int sn = 0; sn < SEGMENTS; sn++) {
            ByteBuf datagram = WireSegment.datagram(loopback.allocator(), WireSegment.push(CONV, sn, 0, PAYLOAD));
            run.writeBytes(datagram);
            datagram.release();
        }
        return run;
    }

    @ParameterizedTest
    @EnumSource
    void runOfEqualSegmentsArrivesAsSeparateDatagrams(KcpTransport transport) throws Exception {
        assumeTrue(KcpTransport.EPOLL.isAvailable() && EpollDatagramChannel.isSegmentedDatagramPacketSupported(),
            "this kernel has no UDP GSO");
        try (Loopback loopback = new Loopback(transport, 1); Loopback peers = new Loopback(KcpTransport.EPOLL, 1)) {
            KcpServerChannel server = loopback.bind(loopback.server(new ChannelInitializer<KcpChannel>() {
                @Override
                protected void initChannel(KcpChannel session) {
                    session.pipeline().addLast(received);
                }
            }).amplificationLimit(false));
            Channel peer = peers.datagramChannel(new SimpleChannelInboundHandler<DatagramPacket>() {
                @Override
                protected void channelRead0(ChannelHandlerContext ctx, DatagramPacket packet) {
                    answers.addAll(WireSegment.parse(packet.content()));
                }
            });
            Loopback.done(peer.writeAndFlush(
                new SegmentedDatagramPacket(run(peers), PAYLOAD.length() + 24, server.localAddress())));
            List<String> messages = received.next(SEGMENTS);
            assertThat(messages).containsOnly(PAYLOAD);
            TreeSet<Integer> una = new TreeSet<>();
            while (!una.contains(SEGMENTS)) {
                WireSegment answer = answers.poll(Loopback.PATIENCE_S, TimeUnit.SECONDS);
                assertThat(answer).as("an acknowledgement or a probe").isNotNull().matches(segment -> segment.isAck()
                    || segment.cmd() == SegmentHeader.CMD_WASK || segment.isPush() && segment.payload().isEmpty());
                una.add(answer.una());
            }
            KcpListenerStats stats = Loopback.result(server.collectStats());
            assertThat(stats.sessions().datagramsIn()).isEqualTo(SEGMENTS);
            assertThat(stats.dropped()).isEmpty();
            assertThat(stats.sessions().segmentsIn()).isEqualTo(SEGMENTS);
        }
    }
}

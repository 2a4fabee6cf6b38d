package io.kcp.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.kcp.netty.bootstrap.KcpServerBootstrap;
import io.kcp.netty.bootstrap.KcpTransport;
import io.kcp.netty.internal.socket.BatchReceiveAllocator;
import io.kcp.netty.internal.socket.DatagramCoalescer;
import io.kcp.netty.internal.socket.ReceiveModeSwitch;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.channel.epoll.EpollDatagramChannelConfig;
import io.netty.channel.socket.DatagramPacket;
import io.netty.channel.unix.SegmentedDatagramPacket;
import io.netty.util.ReferenceCountUtil;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A socket is read with GRO while it receives GSO batches, and with recvmmsg otherwise. Neither mode loses datagrams. */
@Timeout(60)
@Tag("jdk")
class ReceiveModeTest {

    private static final int CONV = 7;
    private static final int RUN = 32;
    private static final int MANY_RUNS = 40;
    private static final String PAYLOAD = "p".repeat(1_000);

    private final MessageCollector received = new MessageCollector();
    private int sn;

    @BeforeAll
    static void epollIsThere() {
        assumeTrue(KcpTransport.EPOLL.isAvailable() && EpollDatagramChannel.isSegmentedDatagramPacketSupported(),
            "this kernel has no UDP GSO");
    }

    private KcpServerBootstrap server(Loopback loopback) {
        return loopback.server(new ChannelInitializer<KcpChannel>() {
            @Override
            protected void initChannel(KcpChannel session) {
                session.pipeline().addLast(received);
            }
        });
    }

    private static EpollDatagramChannelConfig config(KcpServerChannel server) {
        return ((EpollDatagramChannel) server.datagramChannels().iterator().next()).config();
    }

    private void sendRun(Loopback loopback, Channel peer, KcpServerChannel server) throws InterruptedException {
        ByteBuf run = loopback.allocator().directBuffer();
        for (int i = 0; i < RUN; i++) {
            ByteBuf datagram = WireSegment.datagram(loopback.allocator(), WireSegment.push(CONV, sn, 0, PAYLOAD));
            run.writeBytes(datagram);
            datagram.release();
            sn++;
        }
        Loopback.done(peer.writeAndFlush(new SegmentedDatagramPacket(run, PAYLOAD.length() + 24, server.localAddress())));
        assertThat(received.next(RUN)).containsOnly(PAYLOAD);
    }

    private void sendOne(Loopback loopback, Channel peer, KcpServerChannel server) throws InterruptedException {
        ByteBuf datagram = WireSegment.datagram(loopback.allocator(), WireSegment.push(CONV, sn, 0, "single " + sn));
        Loopback.done(peer.writeAndFlush(new DatagramPacket(datagram, server.localAddress())));
        assertThat(received.next()).isEqualTo("single " + sn);
        sn++;
    }

    private static Channel peer(Loopback peers) {
        return peers.datagramChannel(new ChannelInboundHandlerAdapter() {
            @Override
            public void channelRead(ChannelHandlerContext context, Object message) {
                ReferenceCountUtil.release(message);
            }
        });
    }

    @Test
    void groIsEnabledOnlyWhileRunsArrive() throws Exception {
        try (Loopback loopback = new Loopback(KcpTransport.EPOLL, 1); Loopback peers = new Loopback(KcpTransport.EPOLL, 1)) {
            KcpServerChannel server = loopback.bind(server(loopback));
            EpollDatagramChannelConfig config = config(server);
            Channel peer = peer(peers);
            sendOne(peers, peer, server);
            assertThat(config.isUdpGro()).isFalse();
            for (int i = 0; i < MANY_RUNS && !config.isUdpGro(); i++) {
                sendRun(peers, peer, server);
            }
            assertThat(config.isUdpGro()).isTrue();
            assertThat(config.getMaxDatagramPayloadSize()).as("no recvmmsg beside it").isZero();
            for (int i = 0; i < MANY_RUNS; i++) {
                sendRun(peers, peer, server);
            }
            assertThat(config.isUdpGro()).isTrue();
            for (int i = 0; i < 2_000 && config.isUdpGro(); i++) {
                sendOne(peers, peer, server);
            }
            assertThat(config.isUdpGro()).isFalse();
            assertThat(config.getMaxDatagramPayloadSize()).isEqualTo(BatchReceiveAllocator.DATAGRAM_BYTES);
            for (int i = 0; i < MANY_RUNS; i++) {
                sendRun(peers, peer, server);
            }
            KcpListenerStats stats = Loopback.result(server.collectStats());
            assertThat(stats.dropped()).isEmpty();
            assertThat(stats.sessions().datagramsIn()).isEqualTo(sn);
        }
    }

    @Test
    void groIsNeverEnabledIfDisallowed() throws Exception {
        try (Loopback loopback = new Loopback(KcpTransport.EPOLL, 1); Loopback peers = new Loopback(KcpTransport.EPOLL, 1)) {
            KcpServerChannel server = loopback.bind(server(loopback).gro(false));
            Channel peer = peer(peers);
            for (int i = 0; i < MANY_RUNS; i++) {
                sendRun(peers, peer, server);
            }
            assertThat(config(server).isUdpGro()).isFalse();
        }
    }

    @Test
    void bulkTransferUsesRunsAndArrivesIntact() throws Exception {
        long bytes = 30_000_000;
        StreamPump serving = new StreamPump(1, bytes);
        StreamPump asking = new StreamPump(2, bytes);
        try (Loopback loopback = new Loopback(KcpTransport.EPOLL, 2)) {
            KcpServerChannel server = loopback.bind(loopback.server(new ChannelInitializer<KcpChannel>() {
                @Override
                protected void initChannel(KcpChannel session) {
                    session.pipeline().addLast(serving);
                }
            }));
            KcpChannel session = loopback.connect(server, asking);
            assertThat(serving.receivedDigest().get(Loopback.PATIENCE_S, TimeUnit.SECONDS))
                .isEqualTo(asking.sentDigest().get(Loopback.PATIENCE_S, TimeUnit.SECONDS));
            assertThat(asking.receivedDigest().get(Loopback.PATIENCE_S, TimeUnit.SECONDS))
                .isEqualTo(serving.sentDigest().get(Loopback.PATIENCE_S, TimeUnit.SECONDS));
            DatagramCoalescer coalescer = session.datagramChannel().pipeline().get(DatagramCoalescer.class);
            assertThat(coalescer.runs()).isPositive();
            assertThat(coalescer.refusedRuns()).isZero();
            ReceiveModeSwitch asks = session.datagramChannel().pipeline().get(ReceiveModeSwitch.class);
            ReceiveModeSwitch serves = server.datagramChannels().iterator().next().pipeline().get(ReceiveModeSwitch.class);
            assertThat(asks.switchesToGro() + serves.switchesToGro()).isPositive();
        }
    }
}

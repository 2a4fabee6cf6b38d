package io.kcp.interop.plain;

import io.kcp.bench.rig.Protocol;
import io.kcp.bench.rig.SessionListener;
import io.kcp.bench.rig.Setup;
import io.kcp.bench.rig.Work;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.channel.epoll.EpollIoHandler;
import java.net.InetSocketAddress;
import java.util.function.Supplier;
import picocli.CommandLine.Option;

/**
 * Sends and receives plain datagrams in batches, without retransmission. A sink returns one credit datagram for every 32 datagrams. A
 * source keeps at most {@code --window} datagrams without credit, and counts them as lost if it receives no credit for 5 ms.
 *
 * <p>With {@code --datagrams-at-once 1}, each system call receives one datagram. With {@code --like-kcp}, an echo has the datagrams of
 * {@link KcpLikeDatagrams}. With {@code --spin}, event loops never block.
 */
final class UdpProtocol implements Protocol {

    private static final int GRO_BYTES = 1 << 16;
    private static final int MOST_AT_ONCE = 64;
    private static final int PAYLOAD_BYTES = 2048;
    private static final int LONGEST_BATCH = 64;
    private static final int LONGEST_PACKET_BYTES = 65_000;

    /** Options of plain UDP. */
    static final class Options {

        @Option(names = "--window", defaultValue = "1024",
            description = "udp: maximum number of datagrams without credit (${DEFAULT-VALUE})")
        private int windowDatagrams;

        @Option(names = "--gso", description = "udp: let the kernel split and coalesce datagrams")
        private boolean gso;

        @Option(names = "--like-kcp", description = "udp, echo: send the datagrams of a KCP echo")
        private boolean likeKcp;

        @Option(names = "--datagrams-at-once", defaultValue = "64",
            description = "udp: maximum number of datagrams per system call for reading (${DEFAULT-VALUE})")
        private int datagramsAtOnce;

        @Option(names = "--spin", description = "udp: event loops poll all the time")
        private boolean spin;
    }

    private final Options options;
    private final String host;
    private final int datagramBytes;
    private final int segments;
    private final boolean sink;
    private final int socketBufferBytes;
    private final EventLoopGroup loops;

    UdpProtocol(PlainPeer peer, Setup setup) {
        if (setup.work() == Work.IDLE || setup.work() == Work.CHURN) {
            throw new IllegalArgumentException("--work " + setup.work() + " is not possible, because plain UDP has no sessions");
        }
        options = peer.udp;
        host = setup.host();
        sink = setup.work() == Work.SINK || setup.work() == Work.SOURCE;
        datagramBytes = Math.min(setup.writeBytes(), peer.mtuBytes);
        socketBufferBytes = peer.socketBufferBytes;
        segments = options.gso ? Math.max(1, Math.min(LONGEST_BATCH, LONGEST_PACKET_BYTES / datagramBytes)) : 1;
        loops = new MultiThreadIoEventLoopGroup(setup.threads(), options.spin
            ? EpollIoHandler.newFactory(0, () -> (selectNow, hasTasks) -> selectNow.get()) : EpollIoHandler.newFactory());
    }

    @Override
    public int listen(int port, Supplier<SessionListener> listeners) throws InterruptedException {
        Channel channel = bootstrap(true, new UdpServer(listeners.get(), sink))
            .bind(new InetSocketAddress(host, port)).sync().channel();
        return ((InetSocketAddress) channel.localAddress()).getPort();
    }

    @Override
    public void connect(int port, SessionListener listener) {
        InetSocketAddress server = new InetSocketAddress(host, port);
        bootstrap(false, new UdpSession(listener, server, datagramBytes, segments, options.windowDatagrams))
            .bind(new InetSocketAddress(host, 0))
            .addListener(bound -> {
                if (!bound.isSuccess()) {
                    listener.failed(bound.cause());
                }
            });
    }

    private Bootstrap bootstrap(boolean server, ChannelHandler handler) {
        Bootstrap bootstrap = new Bootstrap().group(loops).channel(EpollDatagramChannel.class)
            .option(ChannelOption.SO_RCVBUF, socketBufferBytes).option(ChannelOption.SO_SNDBUF, socketBufferBytes)
            .option(ChannelOption.WRITE_BUFFER_WATER_MARK, new WriteBufferWaterMark(128 << 10, 256 << 10))
            .handler(!options.likeKcp ? handler : new ChannelInitializer<>() {
                @Override
                protected void initChannel(Channel channel) {
                    channel.pipeline().addLast(new KcpLikeDatagrams(server), handler);
                }
            });
        if (options.gso) {
            return bootstrap.option(EpollChannelOption.UDP_GRO, true)
                .option(ChannelOption.RECVBUF_ALLOCATOR, new FixedRecvByteBufAllocator(GRO_BYTES).maxMessagesPerRead(MOST_AT_ONCE));
        }
        if (options.datagramsAtOnce > 1) {
            bootstrap.option(EpollChannelOption.MAX_DATAGRAM_PAYLOAD_SIZE, PAYLOAD_BYTES);
        }
        return bootstrap.option(ChannelOption.RECVBUF_ALLOCATOR,
            new FixedRecvByteBufAllocator(PAYLOAD_BYTES * options.datagramsAtOnce).maxMessagesPerRead(MOST_AT_ONCE));
    }

    @Override
    public boolean notifiesOfClose() {
        return true;
    }

    @Override
    public boolean losesMessages() {
        return true;
    }
}

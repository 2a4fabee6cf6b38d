package io.kcp.interop.plain;

import io.kcp.interop.peer.Options;
import io.kcp.interop.peer.Protocol;
import io.kcp.interop.peer.SessionListener;
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
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Set;
import java.util.function.Supplier;

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

    private final int datagramBytes;
    private final int windowDatagrams;
    private final int segments;
    private final boolean gso;
    private final boolean sink;
    private final boolean likeKcp;
    private final int datagramsAtOnce;
    private final int socketBufferBytes;
    private final EventLoopGroup loops;

    UdpProtocol(Options options) {
        if (Set.of("idle", "churn").contains(options.work())) {
            throw new IllegalArgumentException("--work " + options.work() + " is not possible, because plain UDP has no sessions");
        }
        gso = options.flag("gso", false);
        sink = options.work().equals("sink") || options.work().equals("source");
        likeKcp = options.flag("like-kcp", false);
        datagramsAtOnce = options.number("datagrams-at-once", MOST_AT_ONCE);
        datagramBytes = Math.min(options.writeBytes(), options.number("mtu", 1400));
        windowDatagrams = options.number("window", 1024);
        socketBufferBytes = options.number("sockbuf", 4 << 20);
        segments = gso ? Math.max(1, Math.min(LONGEST_BATCH, LONGEST_PACKET_BYTES / datagramBytes)) : 1;
        loops = new MultiThreadIoEventLoopGroup(options.threads(), options.flag("spin", false)
            ? EpollIoHandler.newFactory(0, () -> (selectNow, hasTasks) -> selectNow.get()) : EpollIoHandler.newFactory());
    }

    @Override
    public int listen(int port, Supplier<SessionListener> listeners) throws InterruptedException {
        Channel channel = bootstrap(true, new UdpServer(listeners.get(), sink))
            .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port)).sync().channel();
        return ((InetSocketAddress) channel.localAddress()).getPort();
    }

    @Override
    public void connect(int port, SessionListener listener) {
        InetSocketAddress server = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        bootstrap(false, new UdpSession(listener, server, datagramBytes, segments, windowDatagrams))
            .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
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
            .handler(!likeKcp ? handler : new ChannelInitializer<>() {
                @Override
                protected void initChannel(Channel channel) {
                    channel.pipeline().addLast(new KcpLikeDatagrams(server), handler);
                }
            });
        if (gso) {
            return bootstrap.option(EpollChannelOption.UDP_GRO, true)
                .option(ChannelOption.RECVBUF_ALLOCATOR, new FixedRecvByteBufAllocator(GRO_BYTES).maxMessagesPerRead(MOST_AT_ONCE));
        }
        if (datagramsAtOnce > 1) {
            bootstrap.option(EpollChannelOption.MAX_DATAGRAM_PAYLOAD_SIZE, PAYLOAD_BYTES);
        }
        return bootstrap.option(ChannelOption.RECVBUF_ALLOCATOR,
            new FixedRecvByteBufAllocator(PAYLOAD_BYTES * datagramsAtOnce).maxMessagesPerRead(MOST_AT_ONCE));
    }

    @Override
    public boolean tellsOfClose() {
        return true;
    }

    @Override
    public boolean losesMessages() {
        return true;
    }
}

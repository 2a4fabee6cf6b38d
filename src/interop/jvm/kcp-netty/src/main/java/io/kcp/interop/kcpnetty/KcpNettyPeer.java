package io.kcp.interop.kcpnetty;

import io.jpower.kcp.netty.UkcpChannelOption;
import io.jpower.kcp.netty.UkcpClientChannel;
import io.jpower.kcp.netty.UkcpServerChannel;
import io.kcp.interop.peer.ChannelSession;
import io.kcp.interop.peer.Options;
import io.kcp.interop.peer.Peer;
import io.kcp.interop.peer.Protocol;
import io.kcp.interop.peer.SessionListener;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.UkcpServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.nio.NioEventLoopGroup;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Load program of kcp-netty (io.jpower.kcp). The library supports NIO channels only, and all sessions of a server share the event loop of
 * the server's socket.
 */
public final class KcpNettyPeer implements Protocol {

    private static final int DATAGRAM_BYTES = 2048;
    private static final int SERVER_LOOPS = 1;
    /**
     * Time by which the close of a client channel is delayed, because closing a channel drops acknowledgements that it has not sent yet.
     */
    private static final long CLIENT_CLOSE_DELAY_MS = 20;
    /**
     * Keeps a strong reference to the logger. Otherwise the logger could be garbage collected and its level lost, because
     * {@code java.util.logging} holds loggers weakly.
     */
    private static final Logger LIBRARY_LOG = Logger.getLogger("io.jpower");

    private final int writeBytesQueued;
    private final int datagramsPerRead;
    private final int socketBufferBytes;
    private final int window;
    private final int mtuBytes;
    private final int intervalMs;
    private final boolean noDelay;
    private final int fastResend;
    private final boolean noCongestionControl;
    private final boolean stream;
    private final boolean fastFlush;
    private final boolean mergeSegments;
    private final int threads;
    private final AtomicInteger conversations = new AtomicInteger();
    private EventLoopGroup clientLoops;

    private KcpNettyPeer(Options options) {
        window = options.number("window", 1024);
        mtuBytes = options.number("mtu", 1400);
        noDelay = options.number("nodelay", 1) == 1;
        intervalMs = options.number("interval", 10);
        fastResend = options.number("resend", 2);
        noCongestionControl = options.number("nc", 1) == 1;
        stream = options.flag("stream", false);
        fastFlush = options.flag("fast-flush", true);
        mergeSegments = options.flag("merge-segments", true);
        socketBufferBytes = options.number("sockbuf", 4 << 20);
        writeBytesQueued = options.number("queued", 1 << 20);
        datagramsPerRead = options.number("datagrams-per-read", 64);
        threads = options.threads();
    }

    /** Runs the load program of kcp-netty. */
    public static void main(String[] arguments) {
        // Turns off logging, because kcp-netty logs a stack trace for each datagram of a closed session.
        LIBRARY_LOG.setLevel(Level.OFF);
        Peer.run(arguments, KcpNettyPeer::new);
    }

    @Override
    public int listen(int port, Supplier<SessionListener> listeners) throws InterruptedException {
        UkcpServerBootstrap bootstrap = new UkcpServerBootstrap().group(new NioEventLoopGroup(SERVER_LOOPS))
            .channel(UkcpServerChannel.class)
            .option(ChannelOption.SO_RCVBUF, socketBufferBytes).option(ChannelOption.SO_SNDBUF, socketBufferBytes)
            .option(ChannelOption.RCVBUF_ALLOCATOR, datagrams())
            .childOption(UkcpChannelOption.UKCP_AUTO_SET_CONV, true)
            .childHandler(new ChannelInitializer<Channel>() {
                @Override
                protected void initChannel(Channel channel) {
                    tune(channel);
                    channel.pipeline().addLast(new ChannelSession(listeners.get()));
                }
            });
        Channel channel = bootstrap.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port)).sync().channel();
        return ((InetSocketAddress) channel.localAddress()).getPort();
    }

    @Override
    public synchronized void connect(int port, SessionListener listener) {
        if (clientLoops == null) {
            clientLoops = new NioEventLoopGroup(threads);
        }
        new Bootstrap().group(clientLoops).channel(UkcpClientChannel.class)
            .option(ChannelOption.SO_RCVBUF, socketBufferBytes).option(ChannelOption.SO_SNDBUF, socketBufferBytes)
            .option(ChannelOption.RCVBUF_ALLOCATOR, datagrams())
            .handler(new ChannelInitializer<UkcpClientChannel>() {
                @Override
                protected void initChannel(UkcpClientChannel channel) {
                    tune(channel);
                    channel.conv(conversations.incrementAndGet());
                    channel.pipeline().addLast(new ChannelSession(listener, CLIENT_CLOSE_DELAY_MS));
                }
            })
            .connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port))
            .addListener((ChannelFutureListener) connected -> {
                if (!connected.isSuccess()) {
                    listener.failed(connected.cause());
                }
            });
    }

    private void tune(Channel channel) {
        channel.config().setOption(UkcpChannelOption.UKCP_NODELAY, noDelay);
        channel.config().setOption(UkcpChannelOption.UKCP_INTERVAL, intervalMs);
        channel.config().setOption(UkcpChannelOption.UKCP_FAST_RESEND, fastResend);
        channel.config().setOption(UkcpChannelOption.UKCP_NOCWND, noCongestionControl);
        channel.config().setOption(UkcpChannelOption.UKCP_MTU, mtuBytes);
        channel.config().setOption(UkcpChannelOption.UKCP_SND_WND, window);
        channel.config().setOption(UkcpChannelOption.UKCP_RCV_WND, window);
        channel.config().setOption(UkcpChannelOption.UKCP_STREAM, stream);
        channel.config().setOption(UkcpChannelOption.UKCP_FAST_FLUSH, fastFlush);
        channel.config().setOption(UkcpChannelOption.UKCP_MERGE_SEGMENT_BUF, mergeSegments);
        channel.config().setWriteBufferWaterMark(new WriteBufferWaterMark(writeBytesQueued / 2, writeBytesQueued));
    }

    /** Allows several datagrams per read. The default of kcp-netty is one datagram per event-loop iteration. */
    private RecvByteBufAllocator datagrams() {
        return new FixedRecvByteBufAllocator(DATAGRAM_BYTES).respectMaybeMoreData(false).maxMessagesPerRead(datagramsPerRead);
    }
}

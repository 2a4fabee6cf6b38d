package io.kcp.interop.kcpnetty;

import io.jpower.kcp.netty.UkcpChannelOption;
import io.jpower.kcp.netty.UkcpClientChannel;
import io.jpower.kcp.netty.UkcpServerChannel;
import io.kcp.bench.rig.ChannelSession;
import io.kcp.bench.rig.KcpSettings;
import io.kcp.bench.rig.LoadProgram;
import io.kcp.bench.rig.Product;
import io.kcp.bench.rig.Protocol;
import io.kcp.bench.rig.SessionListener;
import io.kcp.bench.rig.Setup;
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
import java.net.InetSocketAddress;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Load program of kcp-netty (io.jpower.kcp). The library supports NIO channels only, and all sessions of a server share the event loop of
 * the server's socket.
 */
public final class KcpNettyPeer implements Protocol {

    private static final int DATAGRAM_BYTES = 2048;
    private static final int SERVER_LOOPS = 1;
    private static final int WRITES_PER_FLUSH = 64;
    /**
     * Time by which the close of a client channel is delayed, because closing a channel drops acknowledgements that it has not sent yet.
     */
    private static final long CLIENT_CLOSE_DELAY_MS = 20;
    /**
     * Keeps a strong reference to the logger. Otherwise the logger could be garbage collected and its level lost, because
     * {@code java.util.logging} holds loggers weakly.
     */
    private static final Logger LIBRARY_LOG = Logger.getLogger("io.jpower");

    private final Options options;
    private final Setup setup;
    private final AtomicInteger conversations = new AtomicInteger();
    private @Nullable EventLoopGroup clientLoops;

    private KcpNettyPeer(Options options, Setup setup) {
        this.options = options;
        this.setup = setup;
    }

    /** Runs the load program of kcp-netty. */
    public static void main(String[] arguments) {
        // Turns off logging, because kcp-netty logs a stack trace for each datagram of a closed session.
        LIBRARY_LOG.setLevel(Level.OFF);
        LoadProgram.main("kcp-netty-peer", new Options(), arguments);
    }

    /** Options of kcp-netty. */
    private static final class Options implements Product {

        @Mixin
        private final KcpSettings kcp = new KcpSettings();

        @Option(names = "--stream", arity = "0..1", fallbackValue = "true", defaultValue = "false",
            description = "stream mode (${DEFAULT-VALUE})")
        private boolean stream;

        @Option(names = "--fast-flush", arity = "0..1", fallbackValue = "true", defaultValue = "true",
            description = "send data at once instead of with the next update (${DEFAULT-VALUE})")
        private boolean fastFlush;

        @Option(names = "--merge-segments", arity = "0..1", fallbackValue = "true", defaultValue = "true",
            description = "merge small messages into one segment buffer (${DEFAULT-VALUE})")
        private boolean mergeSegments;

        @Option(names = "--sockbuf", defaultValue = "4194304", description = "sizes of the socket buffers in bytes (${DEFAULT-VALUE})")
        private int socketBufferBytes;

        @Option(names = "--queued", defaultValue = "1048576", description = "high water mark of a session in bytes (${DEFAULT-VALUE})")
        private int queuedBytes;

        @Option(names = "--datagrams-per-read", defaultValue = "64", description = "most datagrams per read (${DEFAULT-VALUE})")
        private int datagramsPerRead;

        @Override
        public Protocol start(Setup setup) {
            return new KcpNettyPeer(this, setup);
        }
    }

    /** Session with the delays that kcp-netty needs. */
    private static final class LoadSession extends ChannelSession {

        private final boolean client;

        LoadSession(SessionListener listener, boolean client) {
            super(listener);
            this.client = client;
        }

        @Override
        protected long closeDelayMs() {
            return client ? CLIENT_CLOSE_DELAY_MS : 0;
        }

        @Override
        protected int maxWritesPerFlush() {
            return WRITES_PER_FLUSH;
        }
    }

    @Override
    public int listen(int port, Supplier<SessionListener> listeners) throws InterruptedException {
        UkcpServerBootstrap bootstrap = new UkcpServerBootstrap().group(new NioEventLoopGroup(SERVER_LOOPS))
            .channel(UkcpServerChannel.class)
            .option(ChannelOption.SO_RCVBUF, options.socketBufferBytes).option(ChannelOption.SO_SNDBUF, options.socketBufferBytes)
            .option(ChannelOption.RCVBUF_ALLOCATOR, datagrams())
            .childOption(UkcpChannelOption.UKCP_AUTO_SET_CONV, true)
            .childHandler(new ChannelInitializer<Channel>() {
                @Override
                protected void initChannel(Channel channel) {
                    tune(channel);
                    channel.pipeline().addLast(new LoadSession(listeners.get(), false));
                }
            });
        Channel channel = bootstrap.bind(new InetSocketAddress(setup.host(), port)).sync().channel();
        return ((InetSocketAddress) channel.localAddress()).getPort();
    }

    @Override
    public synchronized void connect(int port, SessionListener listener) {
        if (clientLoops == null) {
            clientLoops = new NioEventLoopGroup(setup.threads());
        }
        new Bootstrap().group(clientLoops).channel(UkcpClientChannel.class)
            .option(ChannelOption.SO_RCVBUF, options.socketBufferBytes).option(ChannelOption.SO_SNDBUF, options.socketBufferBytes)
            .option(ChannelOption.RCVBUF_ALLOCATOR, datagrams())
            .handler(new ChannelInitializer<UkcpClientChannel>() {
                @Override
                protected void initChannel(UkcpClientChannel channel) {
                    tune(channel);
                    channel.conv(conversations.incrementAndGet());
                    channel.pipeline().addLast(new LoadSession(listener, true));
                }
            })
            .connect(new InetSocketAddress(setup.host(), port))
            .addListener((ChannelFutureListener) connected -> {
                if (!connected.isSuccess()) {
                    listener.failed(connected.cause());
                }
            });
    }

    private void tune(Channel channel) {
        channel.config().setOption(UkcpChannelOption.UKCP_NODELAY, options.kcp.noDelay == 1);
        channel.config().setOption(UkcpChannelOption.UKCP_INTERVAL, options.kcp.intervalMs);
        channel.config().setOption(UkcpChannelOption.UKCP_FAST_RESEND, options.kcp.fastResend);
        channel.config().setOption(UkcpChannelOption.UKCP_NOCWND, options.kcp.noCongestionControl == 1);
        channel.config().setOption(UkcpChannelOption.UKCP_MTU, options.kcp.mtuBytes);
        channel.config().setOption(UkcpChannelOption.UKCP_SND_WND, options.kcp.windowSegments);
        channel.config().setOption(UkcpChannelOption.UKCP_RCV_WND, options.kcp.windowSegments);
        channel.config().setOption(UkcpChannelOption.UKCP_STREAM, options.stream);
        channel.config().setOption(UkcpChannelOption.UKCP_FAST_FLUSH, options.fastFlush);
        channel.config().setOption(UkcpChannelOption.UKCP_MERGE_SEGMENT_BUF, options.mergeSegments);
        channel.config().setWriteBufferWaterMark(new WriteBufferWaterMark(options.queuedBytes / 2, options.queuedBytes));
    }

    /** Allows several datagrams per read. The default of kcp-netty is one datagram per event-loop iteration. */
    private RecvByteBufAllocator datagrams() {
        return new FixedRecvByteBufAllocator(DATAGRAM_BYTES).respectMaybeMoreData(false).maxMessagesPerRead(options.datagramsPerRead);
    }
}

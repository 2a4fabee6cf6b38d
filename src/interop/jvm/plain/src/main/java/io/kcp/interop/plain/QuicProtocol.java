package io.kcp.interop.plain;

import io.kcp.bench.rig.Protocol;
import io.kcp.bench.rig.SessionListener;
import io.kcp.bench.rig.Setup;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.handler.codec.quic.EpollQuicUtils;
import io.netty.handler.codec.quic.InsecureQuicTokenHandler;
import io.netty.handler.codec.quic.QuicChannel;
import io.netty.handler.codec.quic.QuicChannelBootstrap;
import io.netty.handler.codec.quic.QuicChannelOption;
import io.netty.handler.codec.quic.QuicClientCodecBuilder;
import io.netty.handler.codec.quic.QuicCodecBuilder;
import io.netty.handler.codec.quic.QuicCongestionControlAlgorithm;
import io.netty.handler.codec.quic.QuicServerCodecBuilder;
import io.netty.handler.codec.quic.QuicSslContext;
import io.netty.handler.codec.quic.QuicSslContextBuilder;
import io.netty.handler.codec.quic.QuicStreamType;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import picocli.CommandLine.Option;

/** Implements each session as a QUIC connection with one stream. The connections of a client share one socket per event loop. */
final class QuicProtocol implements Protocol {

    private static final String APPLICATION = "load";
    private static final long IDLE_HOURS = 1;
    private static final int DATAGRAM_BYTES = 2048;
    private static final int DATAGRAMS_AT_ONCE = 32;
    private static final WriteBufferWaterMark QUEUED = new WriteBufferWaterMark(256 << 10, 512 << 10);

    /** Options of QUIC. */
    static final class Options {

        @Option(names = "--segments", defaultValue = "45",
            description = "quic: maximum number of datagrams in one GSO packet, 1 for no GSO (${DEFAULT-VALUE})")
        private int segmentsAtOnce;

        @Option(names = "--quic-window", defaultValue = "16777216", description = "quic: flow-control window in bytes (${DEFAULT-VALUE})")
        private long windowBytes;

        @Option(names = "--quic-congestion", defaultValue = "cubic", description = "quic: congestion control (${DEFAULT-VALUE})")
        private QuicCongestionControlAlgorithm congestionControl = QuicCongestionControlAlgorithm.CUBIC;
    }

    private final Options options;
    private final String host;
    private final boolean framed;
    private final int loopCount;
    private final int mtuBytes;
    private final int socketBufferBytes;
    private final EventLoopGroup loops;
    private final List<Channel> clientSockets = new ArrayList<>();
    private final AtomicInteger connections = new AtomicInteger();

    QuicProtocol(PlainPeer peer, Setup setup) {
        options = peer.quic;
        host = setup.host();
        framed = setup.isMessages();
        loopCount = setup.threads();
        mtuBytes = peer.mtuBytes;
        socketBufferBytes = peer.socketBufferBytes;
        loops = new MultiThreadIoEventLoopGroup(loopCount, EpollIoHandler.newFactory());
    }

    @Override
    public int listen(int port, Supplier<SessionListener> listeners) throws Exception {
        SelfSigned self = SelfSigned.generate();
        QuicSslContext context = QuicSslContextBuilder.forServer(self.key(), null, self.certificate()).applicationProtocols(APPLICATION)
            .build();
        int bound = port;
        for (int i = 0; i < loopCount; i++) {
            QuicServerCodecBuilder codec = tune(new QuicServerCodecBuilder().sslContext(context))
                .tokenHandler(InsecureQuicTokenHandler.INSTANCE)
                .handler(new ChannelInboundHandlerAdapter() {
                    @Override
                    public boolean isSharable() {
                        return true;
                    }
                })
                .streamOption(ChannelOption.WRITE_BUFFER_WATER_MARK, QUEUED)
                .streamHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel stream) {
                        Framing.server(stream, listeners.get());
                    }
                });
            if (options.segmentsAtOnce > 1) {
                codec.option(QuicChannelOption.SEGMENTED_DATAGRAM_PACKET_ALLOCATOR,
                    EpollQuicUtils.newSegmentedAllocator(options.segmentsAtOnce));
            }
            bound = bind(codec.build(), bound);
        }
        return bound;
    }

    private int bind(ChannelHandler codec, int port) throws InterruptedException {
        return ((InetSocketAddress) socket(codec, new InetSocketAddress(host, port)).localAddress()).getPort();
    }

    private Channel socket(ChannelHandler codec, InetSocketAddress local) throws InterruptedException {
        return new Bootstrap().group(loops).channel(EpollDatagramChannel.class)
            .option(ChannelOption.SO_RCVBUF, socketBufferBytes).option(ChannelOption.SO_SNDBUF, socketBufferBytes)
            .option(EpollChannelOption.SO_REUSEPORT, true)
            .option(EpollChannelOption.MAX_DATAGRAM_PAYLOAD_SIZE, DATAGRAM_BYTES)
            .option(ChannelOption.RECVBUF_ALLOCATOR, new FixedRecvByteBufAllocator(DATAGRAM_BYTES * DATAGRAMS_AT_ONCE))
            .handler(codec)
            .bind(local).sync().channel();
    }

    private <B extends QuicCodecBuilder<B>> B tune(B codec) {
        return codec.maxIdleTimeout(IDLE_HOURS, TimeUnit.HOURS)
            .maxSendUdpPayloadSize(mtuBytes).maxRecvUdpPayloadSize(DATAGRAM_BYTES)
            .initialMaxData(options.windowBytes)
            .initialMaxStreamDataBidirectionalLocal(options.windowBytes)
            .initialMaxStreamDataBidirectionalRemote(options.windowBytes)
            .initialMaxStreamsBidirectional(1)
            .congestionControlAlgorithm(options.congestionControl);
    }

    @Override
    public void connect(int port, SessionListener listener) throws Exception {
        QuicChannelBootstrap bootstrap = QuicChannel.newBootstrap(nextSocket());
        if (options.segmentsAtOnce > 1) {
            bootstrap.option(QuicChannelOption.SEGMENTED_DATAGRAM_PACKET_ALLOCATOR,
                EpollQuicUtils.newSegmentedAllocator(options.segmentsAtOnce));
        }
        bootstrap.handler(new ChannelInboundHandlerAdapter())
            .remoteAddress(new InetSocketAddress(host, port))
            .connect()
            .addListener(connected -> {
                if (connected.isSuccess()) {
                    openStream((QuicChannel) connected.getNow(), listener);
                } else {
                    listener.failed(connected.cause());
                }
            });
    }

    private void openStream(QuicChannel connection, SessionListener listener) {
        connection.newStreamBootstrap().type(QuicStreamType.BIDIRECTIONAL)
            .option(ChannelOption.WRITE_BUFFER_WATER_MARK, QUEUED)
            .handler(new ChannelInitializer<>() {
                @Override
                protected void initChannel(Channel stream) {
                    Framing.client(stream, framed, listener);
                    // Closes the connection together with its only stream.
                    stream.closeFuture().addListener(closed -> connection.close());
                }
            })
            .create()
            .addListener(created -> {
                if (!created.isSuccess()) {
                    listener.failed(created.cause());
                }
            });
    }

    private synchronized Channel nextSocket() throws InterruptedException {
        if (clientSockets.isEmpty()) {
            QuicSslContext context = QuicSslContextBuilder.forClient().trustManager(InsecureTrustManagerFactory.INSTANCE)
                .applicationProtocols(APPLICATION).build();
            for (int i = 0; i < loopCount; i++) {
                clientSockets.add(socket(tune(new QuicClientCodecBuilder().sslContext(context)).build(), new InetSocketAddress(0)));
            }
        }
        return clientSockets.get(Math.floorMod(connections.getAndIncrement(), loopCount));
    }

    @Override
    public boolean notifiesOfClose() {
        return true;
    }

    @Override
    public int sockets(int sessions) {
        return Math.min(sessions, loopCount);
    }
}

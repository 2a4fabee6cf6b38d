package io.kcp.bench.rig;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.net.InetSocketAddress;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import tools.jackson.databind.node.ObjectNode;

/** Sessions over TCP of Netty's NIO transport, which deliver pieces of a stream. */
final class LocalProtocol implements Protocol {

    /** Options of the server and the client. */
    static final class Local implements Product {

        @Option(names = "--corrupt", description = "change a byte of everything that a server sends")
        boolean corrupt;

        @Option(names = "--piece-bytes", defaultValue = "0", description = "deliver data in pieces of this size")
        int pieceBytes;

        @Option(names = "--no-loop", description = "sessions report no event loop")
        boolean noLoop;

        @Override
        public Protocol start(Setup setup) {
            return new LocalProtocol(this, setup);
        }
    }

    private final Local options;
    private final Setup setup;
    private final EventLoopGroup group;

    private LocalProtocol(Local options, Setup setup) {
        this.options = options;
        this.setup = setup;
        group = new NioEventLoopGroup(setup.threads());
    }

    private ChannelHandler pipeline(Supplier<SessionListener> listeners) {
        return new ChannelInitializer<Channel>() {
            @Override
            protected void initChannel(Channel channel) {
                if (options.pieceBytes > 0) {
                    channel.pipeline().addLast(new Pieces(options.pieceBytes));
                }
                if (options.corrupt && setup.server()) {
                    channel.pipeline().addLast(new Corruption());
                }
                channel.pipeline().addLast(new ChannelSession(listeners.get()) {
                    @Override
                    public @Nullable ScheduledExecutorService loop() {
                        return options.noLoop ? null : super.loop();
                    }
                });
            }
        };
    }

    @Override
    public int listen(int port, Supplier<SessionListener> listeners) {
        Channel channel = new ServerBootstrap().group(group).channel(NioServerSocketChannel.class).childHandler(pipeline(listeners))
            .bind(new InetSocketAddress(setup.host(), port)).syncUninterruptibly().channel();
        return ((InetSocketAddress) channel.localAddress()).getPort();
    }

    @Override
    public void connect(int port, SessionListener listener) {
        new Bootstrap().group(group).channel(NioSocketChannel.class).handler(pipeline(() -> listener))
            .connect(new InetSocketAddress(setup.host(), port)).addListener((ChannelFutureListener) connected -> {
                if (!connected.isSuccess()) {
                    listener.failed(connected.cause());
                }
            });
    }

    @Override
    public ObjectNode stats() {
        return Events.event("stats").put("datagrams_in", setup.meter().snapshot().messagesIn()).put("datagrams_out", 1)
            .put("retransmissions", 0);
    }

    @Override
    public void close() {
        group.shutdownGracefully(0, 3, TimeUnit.SECONDS).syncUninterruptibly();
    }
}

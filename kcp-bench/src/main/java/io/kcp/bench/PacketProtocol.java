package io.kcp.bench;

import io.kcp.bench.rig.ChannelSession;
import io.kcp.bench.rig.Protocol;
import io.kcp.bench.rig.SessionListener;
import io.kcp.bench.rig.Setup;
import io.kcp.netty.bootstrap.KcpTransport;
import io.kcp.netty.packet.FlushCoalescer;
import io.kcp.netty.packet.PacketCodec;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.net.InetSocketAddress;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Exchanges packets over KCP or TCP, with the same pipeline. */
final class PacketProtocol implements Protocol {

    /** Delay after the first deferred flush, as a multiple of the delay after the last one. */
    private static final int MAX_DELAYS = 10;
    private static final int BACKLOG = 4_096;
    private static final long CLOSE_MS = 1_000;

    private final LoadOptions options;
    private final Setup setup;
    private final MultiThreadIoEventLoopGroup group;
    private final ChannelGroup connections = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);

    PacketProtocol(LoadOptions options, Setup setup) {
        this.options = options;
        this.setup = setup;
        group = options.newGroup(setup.threads());
    }

    private ChannelInitializer<Channel> pipeline(Supplier<SessionListener> listeners) {
        return new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel channel) {
                connections.add(channel);
                channel.pipeline().addLast(
                    new FlushCoalescer(options.flushDelayUs, MAX_DELAYS * options.flushDelayUs, TimeUnit.MICROSECONDS),
                    new PacketCodec(), new ChannelSession(listeners.get()));
            }
        };
    }

    @Override
    public int listen(int port, Supplier<SessionListener> listeners) {
        InetSocketAddress address = new InetSocketAddress(setup.host(), port);
        Channel bound = options.protocol == LoadOptions.PacketTransport.KCP
            ? options.newServer(group).childHandler(pipeline(listeners)).bind(address).syncUninterruptibly().channel()
            : new ServerBootstrap().group(group).channel(serverSocketType()).option(ChannelOption.SO_BACKLOG, BACKLOG)
                .childOption(ChannelOption.TCP_NODELAY, true).childHandler(pipeline(listeners)).bind(address).syncUninterruptibly()
                .channel();
        return ((InetSocketAddress) Objects.requireNonNull(bound.localAddress(), "localAddress")).getPort();
    }

    @Override
    public void connect(int port, SessionListener listener) {
        InetSocketAddress server = new InetSocketAddress(setup.host(), port);
        if (options.protocol == LoadOptions.PacketTransport.KCP) {
            options.newClient(group).handler(pipeline(() -> listener)).connect(server).addListener(opened -> {
                if (!opened.isSuccess()) {
                    listener.failed(opened.cause());
                }
            });
        } else {
            new Bootstrap().group(group).channel(socketType()).option(ChannelOption.TCP_NODELAY, true).handler(pipeline(() -> listener))
                .connect(server).addListener((ChannelFutureListener) opened -> {
                    if (!opened.isSuccess()) {
                        listener.failed(opened.cause());
                    }
                });
        }
    }

    private Class<? extends ServerSocketChannel> serverSocketType() {
        return isEpoll() ? EpollServerSocketChannel.class : NioServerSocketChannel.class;
    }

    private Class<? extends SocketChannel> socketType() {
        return isEpoll() ? EpollSocketChannel.class : NioSocketChannel.class;
    }

    private boolean isEpoll() {
        if (options.transport != KcpTransport.EPOLL && options.transport != KcpTransport.NIO) {
            throw new IllegalArgumentException("--transport " + options.transport + ": TCP requires EPOLL or NIO");
        }
        return options.transport == KcpTransport.EPOLL;
    }

    @Override
    public boolean notifiesOfClose() {
        return true;
    }

    /** Closes the connections before the event loops end, so that {@link FlushCoalescer} sends the packets that it has deferred. */
    @Override
    public void close() {
        connections.close().awaitUninterruptibly(CLOSE_MS);
        KcpProtocol.shutDown(group);
    }
}

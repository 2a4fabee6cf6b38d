package io.kcp.bench;

import io.kcp.netty.KcpTransport;
import io.kcp.netty.packet.FlushCoalescer;
import io.kcp.netty.packet.PacketCodec;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Opens the servers and connections of the packets workload over KCP or TCP, with the same pipeline. */
final class PacketTransport {

    /** Values of the {@code --protocol} option. */
    enum Protocol { KCP, TCP }

    /** Delay after the first deferred flush, as a multiple of the delay after the last one. */
    private static final int MAX_DELAYS = 10;
    private static final int BACKLOG = 4_096;

    private final LoadOptions options;
    private final EventLoopGroup group;

    PacketTransport(LoadOptions options, EventLoopGroup group) {
        this.options = options;
        this.group = group;
    }

    private ChannelInitializer<Channel> pipeline(Supplier<ChannelHandler> handlers) {
        return new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel channel) {
                channel.pipeline().addLast(
                    new FlushCoalescer(options.flushDelayUs, MAX_DELAYS * options.flushDelayUs, TimeUnit.MICROSECONDS),
                    new PacketCodec(), handlers.get());
            }
        };
    }

    Channel bind(InetSocketAddress address, Supplier<ChannelHandler> handlers) {
        if (options.protocol == Protocol.KCP) {
            return options.newServer(group).childHandler(pipeline(handlers)).bind(address).syncUninterruptibly().channel();
        }
        return new ServerBootstrap().group(group).channel(serverSocketType()).option(ChannelOption.SO_BACKLOG, BACKLOG)
            .childOption(ChannelOption.TCP_NODELAY, true).childHandler(pipeline(handlers)).bind(address).syncUninterruptibly().channel();
    }

    void connect(InetSocketAddress server, ClientSockets sockets, ChannelHandler handler) {
        if (options.protocol == Protocol.KCP) {
            sockets.open(pipeline(() -> handler)).syncUninterruptibly();
        } else {
            new Bootstrap().group(group).channel(socketType()).option(ChannelOption.TCP_NODELAY, true).handler(pipeline(() -> handler))
                .connect(server).syncUninterruptibly();
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
}

package io.kcp.interop.plain;

import io.kcp.bench.rig.Protocol;
import io.kcp.bench.rig.SessionListener;
import io.kcp.bench.rig.Setup;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.unix.RawUnixChannelOption;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.function.Supplier;

/** Implements each session as a TCP connection with {@code TCP_NODELAY} set. */
final class TcpProtocol implements Protocol {

    private static final int BACKLOG = 1024;
    private static final int IPPROTO_TCP = 6;
    private static final int TCP_CONGESTION = 13;
    private static final WriteBufferWaterMark QUEUED = new WriteBufferWaterMark(256 << 10, 512 << 10);

    private final String host;
    private final boolean framed;
    private final String congestionControl;
    private final EventLoopGroup loops;

    TcpProtocol(String congestionControl, Setup setup) {
        this.congestionControl = congestionControl;
        host = setup.host();
        framed = setup.isMessages();
        loops = new MultiThreadIoEventLoopGroup(setup.threads(), EpollIoHandler.newFactory());
    }

    @Override
    public int listen(int port, Supplier<SessionListener> listeners) throws InterruptedException {
        ServerBootstrap bootstrap = new ServerBootstrap().group(loops).channel(EpollServerSocketChannel.class)
            .option(ChannelOption.SO_BACKLOG, BACKLOG)
            .childOption(ChannelOption.TCP_NODELAY, true).childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, QUEUED)
            .childHandler(new ChannelInitializer<>() {
                @Override
                protected void initChannel(Channel channel) {
                    Framing.server(channel, listeners.get());
                }
            });
        Channel channel = bootstrap.bind(new InetSocketAddress(host, port)).sync().channel();
        return ((InetSocketAddress) channel.localAddress()).getPort();
    }

    @Override
    public void connect(int port, SessionListener listener) {
        Bootstrap bootstrap = new Bootstrap().group(loops).channel(EpollSocketChannel.class);
        if (!congestionControl.isEmpty()) {
            byte[] name = congestionControl.getBytes(StandardCharsets.US_ASCII);
            bootstrap.option(new RawUnixChannelOption("TCP_CONGESTION", IPPROTO_TCP, TCP_CONGESTION, name.length), ByteBuffer.wrap(name));
        }
        bootstrap
            .option(ChannelOption.TCP_NODELAY, true).option(ChannelOption.WRITE_BUFFER_WATER_MARK, QUEUED)
            .handler(new ChannelInitializer<>() {
                @Override
                protected void initChannel(Channel channel) {
                    Framing.client(channel, framed, listener);
                }
            })
            .connect(new InetSocketAddress(host, port))
            .addListener((ChannelFutureListener) connected -> {
                if (!connected.isSuccess()) {
                    listener.failed(connected.cause());
                }
            });
    }

    @Override
    public boolean notifiesOfClose() {
        return true;
    }
}

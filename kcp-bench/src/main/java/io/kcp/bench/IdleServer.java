package io.kcp.bench;

import io.kcp.core.KcpConfig;
import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpChannelOption;
import io.kcp.netty.KcpListenerStats;
import io.kcp.netty.KcpServerBootstrap;
import io.kcp.netty.KcpServerChannel;
import io.kcp.netty.KcpTransport;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Objects;

/** A server whose sessions have one ordinary handler each, which returns what comes and then has nothing to do. */
final class IdleServer implements AutoCloseable {

    private final MultiThreadIoEventLoopGroup group;
    private final KcpServerChannel channel;

    /** Keepalive and idle timeout are those of the library unless they are switched off. */
    IdleServer(KcpTransport transport, int threads, boolean liveness) {
        group = new MultiThreadIoEventLoopGroup(threads, transport.ioHandlerFactory());
        KcpServerBootstrap bootstrap = new KcpServerBootstrap().group(group).config(KcpConfig.fast3())
            .childHandler(new ChannelInitializer<KcpChannel>() {
                @Override
                protected void initChannel(KcpChannel session) {
                    session.pipeline().addLast(new Echo());
                }
            });
        if (!liveness) {
            bootstrap.childOption(KcpChannelOption.KEEPALIVE_MS, 0).childOption(KcpChannelOption.IDLE_TIMEOUT_MS, 0);
        }
        InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        channel = (KcpServerChannel) bootstrap.bind(address).syncUninterruptibly().channel();
    }

    int port() {
        return Objects.requireNonNull(channel.localAddress(), "localAddress").getPort();
    }

    KcpListenerStats stats() {
        return channel.collectStats().syncUninterruptibly().getNow();
    }

    @Override
    public void close() {
        channel.close().syncUninterruptibly();
        group.shutdownGracefully();
    }

    private static final class Echo extends SimpleChannelInboundHandler<ByteBuf> {

        @Override
        protected void channelRead0(ChannelHandlerContext context, ByteBuf message) {
            context.writeAndFlush(message.retain());
        }
    }
}

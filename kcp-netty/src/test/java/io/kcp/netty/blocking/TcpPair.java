package io.kcp.netty.blocking;

import io.kcp.netty.Loopback;
import io.kcp.netty.bootstrap.KcpTransport;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Both sides of a TCP connection as blocking sockets. */
final class TcpPair implements AutoCloseable {

    final KcpSocket client;
    final KcpSocket accepted;
    private final Loopback loopback = new Loopback(KcpTransport.NIO, 2);

    TcpPair() throws Exception {
        CompletableFuture<KcpSocket> opened = new CompletableFuture<>();
        Channel server = Loopback.done(new ServerBootstrap().group(loopback.group()).channel(NioServerSocketChannel.class)
            .childOption(ChannelOption.ALLOCATOR, loopback.allocator()).childHandler(KcpSocket.handler(opened::complete))
            .bind(Loopback.anyPort())).channel();
        Channel connected = Loopback.done(new Bootstrap().group(loopback.group()).channel(NioSocketChannel.class)
            .option(ChannelOption.ALLOCATOR, loopback.allocator()).option(ChannelOption.AUTO_READ, false).handler(new Empty())
            .connect(server.localAddress())).channel();
        client = KcpSocket.wrap(connected);
        accepted = opened.get(Loopback.PATIENCE_S, TimeUnit.SECONDS);
        server.close();
    }

    @Override
    public void close() {
        BlockingPair.closed(client);
        BlockingPair.closed(accepted);
        loopback.close();
    }

    /** A handler that removes itself. */
    private static final class Empty extends ChannelInboundHandlerAdapter {

        @Override
        public void handlerAdded(ChannelHandlerContext context) {
            context.pipeline().remove(this);
        }
    }
}

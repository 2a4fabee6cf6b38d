package io.kcp.netty.blocking;

import io.kcp.core.KcpConfig;
import io.kcp.netty.Loopback;
import io.kcp.netty.bootstrap.KcpBootstrap;
import io.kcp.netty.bootstrap.KcpTransport;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.io.IOException;
import java.time.Duration;

/** A server and one session on real sockets, whose two sides are blocking sockets. */
final class BlockingPair implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(Loopback.PATIENCE_S);

    final Loopback loopback;
    final KcpServerSocket server;
    final KcpSocket client;
    final KcpSocket accepted;

    BlockingPair(KcpTransport transport, KcpConfig config) throws IOException {
        loopback = new Loopback(transport, 2);
        server = KcpServerSocket.bind(loopback.server(new Unused()).config(config), Loopback.anyPort());
        client = KcpSocket.connect(bootstrap().config(config), server.localAddress());
        client.getOutputStream().write(0);
        accepted = server.accept(PATIENCE);
        accepted.getInputStream().read();
    }

    BlockingPair() throws IOException {
        this(KcpTransport.best(), KcpConfig.fast3());
    }

    KcpBootstrap bootstrap() {
        return loopback.client(new Unused());
    }

    static void closed(KcpSocket socket) {
        socket.close();
        Loopback.ended(socket.channel().closeFuture());
    }

    static void closed(KcpServerSocket socket) {
        socket.close();
        Loopback.ended(socket.channel().closeFuture());
    }

    @Override
    public void close() {
        client.close();
        accepted.close();
        closed(client);
        closed(accepted);
        closed(server);
        loopback.close();
    }

    /** A handler that is set on a bootstrap but not used. */
    private static final class Unused extends ChannelInboundHandlerAdapter {

        @Override
        public boolean isSharable() {
            return true;
        }

        @Override
        public void handlerAdded(ChannelHandlerContext context) {
            throw new AssertionError("must not be used");
        }
    }
}

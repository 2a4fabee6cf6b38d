package io.kcp.tools.tunnel;

import io.kcp.netty.KcpChannel;
import io.kcp.netty.smux.SmuxStreamChannel;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.DuplexChannel;
import java.net.InetSocketAddress;
import java.net.SocketAddress;

/**
 * Connects each accepted stream to the target. The stream is read once the target has accepted the connection. If the target refuses it,
 * the stream is closed.
 */
@Sharable
final class TargetConnector extends ChannelInboundHandlerAdapter {

    /** Limits the time that connecting to the target may take. The value is that of kcptun. */
    private static final int CONNECT_TIMEOUT_MS = 5_000;

    private final StreamSockets sockets;
    private final StreamAddress target;
    private final SocketAddress targetAddress;
    private final boolean proxyProtocol;
    private final int closeWaitSeconds;
    private final StreamCounters counters;
    private final TunnelLog log;

    TargetConnector(ServerOptions options, StreamSockets sockets, StreamCounters counters, TunnelLog log) {
        this.sockets = sockets;
        target = options.target();
        targetAddress = sockets.remote(target);
        proxyProtocol = options.proxyProtocol();
        closeWaitSeconds = options.common().closeWaitSeconds();
        this.counters = counters;
        this.log = log;
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        SmuxStreamChannel stream = (SmuxStreamChannel) context.channel();
        TunnelSession session = stream.parent().attr(TunnelSession.KEY).get();
        if (session.isRetired()) {
            stream.close();
            return;
        }
        session.onStreamOpened(stream);
        Bootstrap bootstrap = new Bootstrap().group(stream.eventLoop()).channelFactory(sockets.clientSockets(target))
            .option(ChannelOption.AUTO_READ, false)
            .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_TIMEOUT_MS)
            .handler(new ChannelInboundHandlerAdapter());
        if (!target.isUnix()) {
            bootstrap.option(ChannelOption.TCP_NODELAY, true).resolver(sockets.resolver());
        }
        if (sockets.hasHalfClose(target)) {
            bootstrap.option(ChannelOption.ALLOW_HALF_CLOSURE, true);
        }
        bootstrap.connect(targetAddress).addListener((ChannelFutureListener) connected -> {
            if (connected.isSuccess()) {
                relay(stream, (DuplexChannel) connected.channel());
            } else {
                counters.onFailed();
                log.info("cannot connect to the target " + target + ": " + connected.cause().getMessage());
                stream.close();
            }
        });
    }

    private void relay(SmuxStreamChannel stream, DuplexChannel socket) {
        KcpChannel session = (KcpChannel) stream.parent();
        if (proxyProtocol) {
            ProxyHeader.send(socket, session.remoteAddress(), localAddress(session));
        }
        String name = "stream " + stream.streamId() + " of " + session.remoteAddress() + " to " + target;
        log.stream("stream opened: " + name);
        socket.closeFuture().addListener(closed -> log.stream("stream closed: " + name));
        Relay relay = new Relay(stream, socket, closeWaitSeconds, counters);
        relay.attach();
        relay.start();
    }

    private static SocketAddress localAddress(KcpChannel session) {
        SocketAddress local = session.localAddress();
        return local instanceof InetSocketAddress ? local : session.datagramChannel().localAddress();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        if (context.pipeline().last() == this) {
            // Closes the stream, because its session failed before the target was connected.
            context.close();
        } else {
            context.fireExceptionCaught(cause);
        }
    }
}

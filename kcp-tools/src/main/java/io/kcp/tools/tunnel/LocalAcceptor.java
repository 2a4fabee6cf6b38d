package io.kcp.tools.tunnel;

import io.kcp.netty.KcpChannel;
import io.kcp.netty.smux.SmuxStreamChannel;
import io.kcp.netty.smux.SmuxStreamChannelBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.DuplexChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.FutureListener;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Accepts local connections and opens a stream for each of them. The connection is registered with the event loop of the session that
 * carries its stream. If there is no session, the connection is reset.
 */
final class LocalAcceptor extends ChannelInboundHandlerAdapter {

    /** Sets how long the listener pauses after an accept has failed, for example because the process has no file descriptor left. */
    private static final int ACCEPT_PAUSE_MS = 1_000;

    private final SessionPool pool;
    private final int closeWaitSeconds;
    private final StreamCounters counters;
    private final TunnelLog log;

    LocalAcceptor(SessionPool pool, int closeWaitSeconds, StreamCounters counters, TunnelLog log) {
        this.pool = pool;
        this.closeWaitSeconds = closeWaitSeconds;
        this.counters = counters;
        this.log = log;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        DuplexChannel socket = (DuplexChannel) message;
        socket.config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
        socket.config().setAutoRead(false);
        reset(socket, true);
        if (socket instanceof SocketChannel tcp) {
            tcp.config().setTcpNoDelay(true);
        }
        pool.next().addListener((FutureListener<KcpChannel>) opened -> {
            if (opened.isSuccess()) {
                open(socket, opened.getNow());
            } else {
                fail(socket);
            }
        });
    }

    /** Sets whether closing a TCP connection sends a reset. */
    private static void reset(Channel socket, boolean reset) {
        if (socket instanceof SocketChannel tcp) {
            tcp.config().setSoLinger(reset ? 0 : -1);
        }
    }

    /** Closes a connection that has not been registered with an event loop. */
    private void fail(Channel socket) {
        counters.onFailed();
        socket.unsafe().closeForcibly();
    }

    private void open(DuplexChannel socket, KcpChannel session) {
        Future<SmuxStreamChannel> opening = new SmuxStreamChannelBootstrap(session)
            .option(ChannelOption.AUTO_READ, false)
            .option(ChannelOption.ALLOW_HALF_CLOSURE, true)
            .handler(new ChannelInboundHandlerAdapter())
            .open();
        opening.addListener(opened -> {
            if (opened.isSuccess()) {
                register(opening.getNow(), socket, session);
                return;
            }
            log.info("cannot open a stream on " + session.remoteAddress() + ": " + opened.cause().getMessage());
            // Retires the session, because it cannot open streams any more. For example, all its stream ids may be used.
            SessionPool.handler(session).retire(session, Integer.MAX_VALUE);
            fail(socket);
        });
    }

    private void register(SmuxStreamChannel stream, DuplexChannel socket, KcpChannel session) {
        SessionPool.handler(session).onStreamOpened(stream);
        Relay relay = new Relay(stream, socket, closeWaitSeconds, counters);
        relay.attach();
        session.eventLoop().register(socket).addListener(registered -> {
            if (!registered.isSuccess()) {
                stream.close();
                fail(socket);
                return;
            }
            reset(socket, false);
            String name = socket.remoteAddress() + " to " + session.remoteAddress() + " (stream " + stream.streamId() + ')';
            log.stream("stream opened: " + name);
            stream.closeFuture().addListener(closed -> log.stream("stream closed: " + name + cause(stream.closeCause())));
            relay.start();
        });
    }

    private static String cause(@Nullable Throwable cause) {
        return cause == null ? "" : ", " + cause.getMessage();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        log.info("cannot accept connections: " + cause.getMessage());
        context.channel().config().setAutoRead(false);
        context.executor().schedule(() -> context.channel().config().setAutoRead(true), ACCEPT_PAUSE_MS, TimeUnit.MILLISECONDS);
    }
}

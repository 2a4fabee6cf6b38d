package io.kcp.netty.tls;

import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpTlsException;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Closes a session of a server whose peer sends no message after the TLS handshake. The session's own first-message timeout ends with the
 * first bytes of the handshake. This handler removes itself when it receives a message.
 */
final class FirstMessageTimeout extends ChannelInboundHandlerAdapter {

    private final KcpChannel session;
    private @Nullable Future<?> timeout;

    FirstMessageTimeout(KcpChannel session) {
        this.session = session;
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        int timeoutMs = session.config().firstMessageTimeoutMs();
        if (event instanceof SslHandshakeCompletionEvent handshake && handshake.isSuccess() && timeout == null && timeoutMs > 0) {
            timeout = context.executor().schedule(this::onTimeout, timeoutMs, TimeUnit.MILLISECONDS);
        }
        context.fireUserEventTriggered(event);
    }

    private void onTimeout() {
        if (session.isOpen()) {
            session.closeBecause(KcpTlsException.noMessage());
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        context.fireChannelRead(message);
        if (!context.isRemoved()) {
            context.pipeline().remove(this);
        }
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext context) {
        Future<?> scheduled = timeout;
        if (scheduled != null) {
            scheduled.cancel(false);
        }
    }
}

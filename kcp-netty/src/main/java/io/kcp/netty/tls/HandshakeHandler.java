package io.kcp.netty.tls;

import io.kcp.netty.KcpChannel;
import io.kcp.netty.KcpOobMessage;
import io.kcp.netty.KcpTlsException;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.SslCloseCompletionEvent;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import javax.net.ssl.SSLException;

/**
 * Follows the {@code SslHandler} of a session. Withholds {@code channelActive} until the handshake has succeeded, and closes the session
 * with a {@link KcpTlsException} if TLS fails or the peer closes it.
 */
final class HandshakeHandler extends ChannelInboundHandlerAdapter {

    private static final InternalLogger LOGGER = InternalLoggerFactory.getInstance(KcpTls.class);

    private final KcpChannel session;
    private boolean activeWithheld;
    private boolean succeeded;

    HandshakeHandler(KcpChannel session) {
        this.session = session;
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        activeWithheld = true;
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        if (succeeded) {
            context.fireChannelInactive();
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event instanceof KcpOobMessage message) {
            message.release();
            return;
        }
        context.fireUserEventTriggered(event);
        if (event instanceof SslHandshakeCompletionEvent handshake) {
            onHandshake(context, handshake);
        } else if (event == SslCloseCompletionEvent.SUCCESS) {
            close(KcpTlsException.closedByPeer());
        }
    }

    private void onHandshake(ChannelHandlerContext context, SslHandshakeCompletionEvent handshake) {
        if (!handshake.isSuccess()) {
            close(KcpTlsException.failed("the TLS handshake failed", handshake.cause()));
        } else if (!succeeded) {
            succeeded = true;
            if (activeWithheld) {
                context.fireChannelActive();
            }
        }
    }

    private void close(KcpTlsException cause) {
        // A session that has closed for another reason fails its handshake, too.
        if (session.isOpen()) {
            session.closeBecause(cause);
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        Throwable failure = cause instanceof DecoderException && cause.getCause() != null ? cause.getCause() : cause;
        if (failure instanceof SSLException) {
            close(KcpTlsException.failed("TLS failed", failure));
        } else if (succeeded) {
            context.fireExceptionCaught(cause);
        } else {
            // Logs at debug level, because any client can cause this failure and the end of the pipeline would log a warning.
            LOGGER.debug("{} failed during the TLS handshake", session, cause);
        }
    }
}

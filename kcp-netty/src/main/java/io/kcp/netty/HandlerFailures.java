package io.kcp.netty;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import java.io.IOException;
import java.net.SocketException;

/** Handles the failures of one datagram channel and its sessions, so that a failure affects as few sessions as possible. */
final class HandlerFailures {

    private static final InternalLogger LOGGER = InternalLoggerFactory.getInstance(KcpHandler.class);

    private final KcpHandler handler;

    HandlerFailures(KcpHandler handler) {
        this.handler = handler;
    }

    /**
     * Counts an I/O error without closing the datagram channel, because the error affects only one datagram, and the data of that datagram
     * is retransmitted.
     */
    void onException(ChannelHandlerContext context, Throwable cause) {
        if (cause.getCause() instanceof OutOfMemoryError shortage && cause instanceof SocketException) {
            // SingleReceiveAllocator reports a failed allocation as a SocketException.
            onOutOfMemory(context.channel(), shortage);
        } else if (cause instanceof IOException) {
            handler.counters().onSocketError();
            LOGGER.debug("Ignored an I/O error of {}", context.channel(), cause);
        } else if (cause instanceof OutOfMemoryError shortage) {
            // Memory ran out during a read or in a handler that precedes this handler in the pipeline.
            onOutOfMemory(context.channel(), shortage);
        } else {
            context.fireExceptionCaught(cause);
        }
    }

    void onOutOfMemory(Channel datagramChannel, OutOfMemoryError shortage) {
        handler.drop(DropReason.OUT_OF_MEMORY);
        handler.acceptor().relieveMemory(datagramChannel, shortage, handler.loop().nowMs());
    }

    /**
     * Closes a session because of a failure on this side. If memory ran out, also closes unvalidated sessions. Throws no
     * {@code OutOfMemoryError}.
     */
    void onFailed(DefaultKcpChannel session, Throwable failure) {
        Throwable latest = failure;
        try {
            session.closeWith(KcpCloseReason.FAILED, failure);
        } catch (OutOfMemoryError again) {
            latest = again;
        }
        if (latest instanceof OutOfMemoryError shortage) {
            handler.acceptor().relieveMemory(handler.datagramChannel(), shortage, handler.loop().nowMs());
        }
    }
}

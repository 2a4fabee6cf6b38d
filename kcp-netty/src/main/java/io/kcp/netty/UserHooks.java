package io.kcp.netty;

import io.kcp.core.FirstDatagram;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.socket.DatagramPacket;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import java.net.InetSocketAddress;

/**
 * Calls the accept filter of the application, and the application's handler for datagrams that are not KCP. If one of them throws an
 * exception, only the current datagram is dropped.
 */
final class UserHooks {

    private static final InternalLogger LOGGER = InternalLoggerFactory.getInstance(KcpHandler.class);

    private final AcceptFilter acceptFilter;
    private final ForeignDatagramHandler foreignHandler;
    private boolean logged;

    UserHooks(AcceptFilter acceptFilter, ForeignDatagramHandler foreignHandler) {
        this.acceptFilter = acceptFilter;
        this.foreignHandler = foreignHandler;
    }

    /** Returns {@code true} if the filter accepts a session, and {@code false} if it refuses the session or throws an exception. */
    boolean isAccepted(ChannelHandlerContext context, InetSocketAddress peer, int conv, ByteBuf firstDatagram) {
        try {
            return acceptFilter == AcceptFilter.ALL || acceptFilter.accept(peer, conv, FirstDatagram.firstPayload(firstDatagram));
        } catch (OutOfMemoryError shortage) {
            throw shortage;
        } catch (RuntimeException | Error mistake) {
            logFirst("The AcceptFilter", context, mistake);
            return false;
        }
    }

    /**
     * Returns {@code true} if the handler of foreign datagrams handles a datagram, and {@code false} if it does not or throws an exception.
     */
    boolean isConsumed(ChannelHandlerContext context, DatagramPacket packet) {
        try {
            return foreignHandler.handle(context, packet);
        } catch (OutOfMemoryError shortage) {
            throw shortage;
        } catch (RuntimeException | Error mistake) {
            logFirst("The ForeignDatagramHandler", context, mistake);
            return false;
        }
    }

    /** Logs only the first exception, so that a flood of datagrams that cause exceptions cannot fill the log. */
    private void logFirst(String hook, ChannelHandlerContext context, Throwable mistake) {
        if (!logged) {
            logged = true;
            LOGGER.warn("{} of {} threw an exception, so the datagram is dropped. Further exceptions are not logged.", hook,
                context.channel(), mistake);
        }
    }
}

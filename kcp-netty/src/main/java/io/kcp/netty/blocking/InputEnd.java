package io.kcp.netty.blocking;

import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.ssl.SslCloseCompletionEvent;

/** Detects the user events which report that the peer sends no more data. */
final class InputEnd {

    /** {@code true} if Netty's TLS handler is available, which is an optional dependency of kcp-netty. */
    private static final boolean TLS = isTlsAvailable();

    private InputEnd() {
    }

    private static boolean isTlsAvailable() {
        try {
            return Tls.isCloseNotify(SslCloseCompletionEvent.SUCCESS);
        } catch (LinkageError absent) {
            return false;
        }
    }

    /** Returns {@code true} if the event is fired after the FIN of a channel or after the close_notify alert of TLS. */
    static boolean isEnd(Object event) {
        return event instanceof ChannelInputShutdownEvent || TLS && Tls.isCloseNotify(event);
    }

    /** Contains the references to classes of netty-handler, which may be missing. */
    private static final class Tls {

        static boolean isCloseNotify(Object event) {
            return event instanceof SslCloseCompletionEvent closed && closed.isSuccess();
        }
    }
}

package io.kcp.netty.blocking;

import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.ssl.SslCloseCompletionEvent;

/** Detects the user events that announce the end of the peer's data. */
final class InputEnd {

    /** Whether Netty's TLS handler is available, which kcp-netty does not require. */
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

    /** Uses the classes of netty-handler. */
    private static final class Tls {

        static boolean isCloseNotify(Object event) {
            return event instanceof SslCloseCompletionEvent closed && closed.isSuccess();
        }
    }
}

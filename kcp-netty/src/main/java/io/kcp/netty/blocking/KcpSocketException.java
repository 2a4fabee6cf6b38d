package io.kcp.netty.blocking;

import io.kcp.netty.KcpCloseException;
import io.kcp.netty.KcpCloseReason;
import java.io.IOException;
import java.io.Serial;
import java.net.SocketException;
import java.nio.channels.ClosedChannelException;
import org.jspecify.annotations.Nullable;

/**
 * Signals that a socket operation failed, because the channel could not be opened or a failure closed it. The cause is the failure
 * that the channel reported, usually a {@link KcpCloseException}.
 */
public final class KcpSocketException extends SocketException {

    @Serial
    private static final long serialVersionUID = 1L;

    KcpSocketException(String message) {
        super(message);
    }

    private KcpSocketException(String message, Throwable cause) {
        super(message + ": " + (cause.getMessage() == null ? cause.toString() : cause.getMessage()));
        initCause(cause);
    }

    /**
     * Returns a {@link ClosedChannelException} if the channel was closed without a failure, otherwise a {@link KcpSocketException} with
     * the failure as its cause.
     */
    static IOException of(String message, Throwable cause) {
        return cause.getClass() == ClosedChannelException.class && cause.getCause() == null ? new ClosedChannelException()
            : new KcpSocketException(message, cause);
    }

    /**
     * Returns the reason why the KCP session was closed.
     *
     * @return the reason; null if the channel is not a KCP session or the session did not close with a reason
     */
    public @Nullable KcpCloseReason reason() {
        return getCause() instanceof KcpCloseException closed ? closed.reason() : null;
    }
}

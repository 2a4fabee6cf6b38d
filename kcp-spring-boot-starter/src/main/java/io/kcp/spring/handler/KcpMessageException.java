package io.kcp.spring.handler;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/**
 * Thrown when a {@link KcpMessageCodec} cannot decode a message, or when no {@link OnMessage} method accepts the decoded object. If no
 * {@link OnError} method handles the exception, it closes the session. Because any peer can cause it, only the first one of a server is
 * logged as a warning, and all others at debug level.
 */
public final class KcpMessageException extends RuntimeException {

    @Serial
    private static final long serialVersionUID = 1L;

    KcpMessageException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}

package io.kcp.spring.handler;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/**
 * A message could not be understood: the {@link KcpMessageCodec} failed, or no {@link OnMessage} method takes what it made of it.
 * The peer's doing, so if no {@link OnError} method takes it, it closes the session and is logged as a warning once for each server,
 * then at debug level.
 */
public final class KcpMessageException extends RuntimeException {

    @Serial
    private static final long serialVersionUID = 1L;

    KcpMessageException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}

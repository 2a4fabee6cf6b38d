package io.kcp.spring.handler;

import java.io.Serial;

/**
 * Close cause of a session for which a {@link KcpController} method threw an exception that no {@link OnError} method handled. The original
 * exception is the cause of this exception.
 */
public final class KcpControllerException extends RuntimeException {

    @Serial
    private static final long serialVersionUID = 1L;

    KcpControllerException(String message, Throwable cause) {
        super(message, cause);
    }
}

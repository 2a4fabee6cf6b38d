package io.kcp.spring.handler;

import java.io.Serial;

/**
 * Closes a session after a method of a {@link KcpController} failed and no {@link OnError} method handled the exception, which is the
 * cause of this one.
 */
public final class KcpControllerException extends RuntimeException {

    @Serial
    private static final long serialVersionUID = 1L;

    KcpControllerException(String message, Throwable cause) {
        super(message, cause);
    }
}

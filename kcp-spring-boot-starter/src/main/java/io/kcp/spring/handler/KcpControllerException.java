package io.kcp.spring.handler;

import java.io.Serial;

/**
 * A method of a {@link KcpController} failed and no {@link OnError} method took it, so the session was closed. The cause is what it
 * threw.
 */
public final class KcpControllerException extends RuntimeException {

    @Serial
    private static final long serialVersionUID = 1L;

    KcpControllerException(String message, Throwable cause) {
        super(message, cause);
    }
}

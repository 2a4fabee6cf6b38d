package io.kcp.netty;

import java.io.Serial;

/**
 * The application refuses a peer: a token that is wrong, a game that is full. {@link KcpChannel#closeBecause} closes the session with the
 * reason {@link KcpCloseReason#REJECTED}, under which it is counted. Because any client can cause it, it is no error: it has no stack
 * trace, and the Spring Boot starter, whose controllers may throw it, logs it only at debug level.
 */
public class KcpRejectedException extends RuntimeException {

    @Serial
    private static final long serialVersionUID = 1L;

    /**
     * Creates an exception.
     *
     * @param reason for people who read logs; the peer does not see it
     */
    public KcpRejectedException(String reason) {
        super(reason, null, false, false);
    }
}

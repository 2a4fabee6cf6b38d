package io.kcp.netty;

import java.io.Serial;

/**
 * Signals that the application rejects a peer, for example because of an invalid token or a full game. When this exception is passed to
 * {@link KcpChannel#closeBecause}, the session is closed with the reason {@link KcpCloseReason#REJECTED}. Because any client can cause a
 * rejection, it is not treated as an error: it has no stack trace, and the Spring Boot starter, whose controllers may throw it, logs it
 * only at debug level.
 */
public class KcpPeerRejectedException extends RuntimeException {

    @Serial
    private static final long serialVersionUID = 1L;

    /**
     * Creates an exception.
     *
     * @param reason the reason, for the log; it is not sent to the peer
     */
    public KcpPeerRejectedException(String reason) {
        super(reason, null, false, false);
    }
}

package io.kcp.netty;

import java.io.IOException;
import java.io.Serial;
import org.jspecify.annotations.Nullable;

/**
 * Signals that TLS has ended in a session, either because of a failure or because the peer has closed TLS. It is the cause of the
 * {@link KcpCloseException} with which {@code io.kcp.netty.tls.KcpTls} closes the session. Because any client can cause it, it has no stack
 * trace.
 */
public final class KcpTlsException extends IOException {

    @Serial
    private static final long serialVersionUID = 1L;

    /** The reason with which the session is closed. */
    private final KcpCloseReason reason;

    private KcpTlsException(KcpCloseReason reason, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.reason = reason;
    }

    /**
     * Creates an exception for a failed handshake or invalid data. A session that {@link KcpChannel#closeBecause} closes for this exception
     * has the reason {@link KcpCloseReason#TLS_FAILED}.
     *
     * @param message the failure
     * @param cause   the exception of the TLS implementation
     * @return a new exception
     */
    public static KcpTlsException failed(String message, Throwable cause) {
        return new KcpTlsException(KcpCloseReason.TLS_FAILED, message, cause);
    }

    /**
     * Creates an exception for a failure that no exception of the TLS implementation has caused. A session that
     * {@link KcpChannel#closeBecause} closes for this exception has the reason {@link KcpCloseReason#TLS_FAILED}.
     *
     * @param message the failure
     * @return a new exception
     */
    public static KcpTlsException failed(String message) {
        return new KcpTlsException(KcpCloseReason.TLS_FAILED, message, null);
    }

    /**
     * Creates an exception for a peer that sends no complete message after the TLS handshake. A session that
     * {@link KcpChannel#closeBecause} closes for this exception has the reason {@link KcpCloseReason#FIRST_MESSAGE_TIMEOUT}.
     *
     * @return a new exception
     */
    public static KcpTlsException noMessage() {
        return new KcpTlsException(KcpCloseReason.FIRST_MESSAGE_TIMEOUT,
            "no complete message was received within the first-message timeout after the TLS handshake", null);
    }

    /**
     * Creates an exception for a peer that has closed TLS with a {@code close_notify} alert. A session that
     * {@link KcpChannel#closeBecause} closes for this exception has the reason {@link KcpCloseReason#PEER_CLOSED}.
     *
     * @return a new exception
     */
    public static KcpTlsException closedByPeer() {
        return new KcpTlsException(KcpCloseReason.PEER_CLOSED, "the peer has closed TLS", null);
    }

    /**
     * Returns why a session is closed for this exception.
     *
     * @return {@link KcpCloseReason#TLS_FAILED}, {@link KcpCloseReason#FIRST_MESSAGE_TIMEOUT} or {@link KcpCloseReason#PEER_CLOSED}
     */
    public KcpCloseReason reason() {
        return reason;
    }

    @Override
    public Throwable fillInStackTrace() {
        return this;
    }
}

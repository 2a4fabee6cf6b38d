package io.kcp.netty;

import java.io.IOException;
import java.io.Serial;
import org.jspecify.annotations.Nullable;

/**
 * Signals that a session failed, was not closed by its application, or was closed before all its data was delivered. This exception is the
 * cause of failed writes, and {@link KcpChannel#closeCause()} returns it.
 *
 * <p>The method {@code exceptionCaught} is called with this exception only if the session failed. It is not called if the parent was
 * closed, or if the peer is gone ({@link KcpCloseReason#IDLE}, {@link KcpCloseReason#PEER_TIMEOUT}, {@link KcpCloseReason#PEER_CLOSED})
 * and all written data is acknowledged.
 * It is also not called if a server closes a session whose peer is inactive, does not read or makes no progress, and has never acknowledged
 * a segment. The address of such a peer may be forged, and a flood of such sessions would fill the log.
 *
 * <p>The exception has no stack trace, because the code location at which the close was detected gives no useful information.
 */
public final class KcpCloseException extends IOException {

    @Serial
    private static final long serialVersionUID = 1L;

    /** The reason why the session was closed. */
    private final KcpCloseReason reason;
    /** Number of written bytes that the peer had not acknowledged. */
    private final long unacknowledgedBytes;
    /** The reason in the close notice of the peer. */
    private final @Nullable KcpCloseReason peerReason;

    /**
     * Creates an exception for a session that this side closed.
     *
     * @param reason              the reason why the session was closed
     * @param session             text that identifies the session in the message
     * @param unacknowledgedBytes the number of written bytes that the peer had not acknowledged
     * @param cause               the cause; null if there is none
     */
    public KcpCloseException(KcpCloseReason reason, String session, long unacknowledgedBytes, @Nullable Throwable cause) {
        this(reason, session, unacknowledgedBytes, null, cause);
    }

    /**
     * Creates an exception for a session that may have been closed by a close notice of the peer.
     *
     * @param reason              the reason why the session was closed
     * @param session             text that identifies the session in the message
     * @param unacknowledgedBytes the number of written bytes that the peer had not acknowledged
     * @param peerReason          the reason in the close notice of the peer, see {@link #peerReason()}
     * @param cause               the cause; null if there is none
     */
    public KcpCloseException(KcpCloseReason reason, String session, long unacknowledgedBytes, @Nullable KcpCloseReason peerReason,
        @Nullable Throwable cause) {
        super(session + ": " + reason.text() + (peerReason == null ? "" : " (" + peerReason.text() + ')')
            + (unacknowledgedBytes > 0 ? "; " + unacknowledgedBytes + " bytes were not acknowledged" : ""), cause);
        this.reason = reason;
        this.unacknowledgedBytes = unacknowledgedBytes;
        this.peerReason = peerReason;
    }

    /**
     * Returns the reason why the session was closed.
     *
     * @return the reason
     */
    public KcpCloseReason reason() {
        return reason;
    }

    /**
     * Returns the number of written bytes that the peer had not acknowledged when the session was closed.
     *
     * @return bytes, 0 if the peer acknowledged everything
     */
    public long unacknowledgedBytes() {
        return unacknowledgedBytes;
    }

    /**
     * Returns the reason for which the peer closed the session, if {@link #reason()} is {@link KcpCloseReason#PEER_FAILED} or
     * {@link KcpCloseReason#PEER_CLOSED}.
     *
     * @return the reason on the side of the peer; null if its application closed the session and all its data was acknowledged, if the
     *         reason is unknown to this release, or if the peer did not close the session
     */
    public @Nullable KcpCloseReason peerReason() {
        return peerReason;
    }

    @Override
    public Throwable fillInStackTrace() {
        return this;
    }
}

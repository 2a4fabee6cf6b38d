package io.kcp.netty;

import java.io.IOException;
import java.io.Serial;
import org.jspecify.annotations.Nullable;

/**
 * Signals that a session was closed for a reason other than a close by its application, or because the application failed, or before all
 * its data was delivered. It is the cause of failed writes, and {@link KcpChannel#closeCause()} returns it.
 *
 * <p>{@code exceptionCaught} is called with it only if it is a failure. It is not called if the parent was closed, or if the peer is gone
 * ({@link KcpCloseReason#IDLE}, {@link KcpCloseReason#PEER_SILENT}) and everything written before is acknowledged. It is also not called
 * if a server closes a session because its peer is inactive or does not read, and that peer never acknowledged a segment: its address may
 * be forged, and a flood of such sessions would fill the log.
 *
 * <p>It has no stack trace, because the place where the close was detected gives no useful information.
 */
public final class KcpCloseException extends IOException {

    @Serial
    private static final long serialVersionUID = 1L;

    /** The reason of the close. */
    private final KcpCloseReason reason;
    /** Number of bytes that were accepted and not acknowledged. */
    private final long unacknowledgedBytes;

    KcpCloseException(KcpCloseReason reason, String session, long unacknowledgedBytes, @Nullable Throwable cause) {
        super(session + ": " + reason.text()
            + (unacknowledgedBytes > 0 ? "; " + unacknowledgedBytes + " bytes were not acknowledged" : ""), cause);
        this.reason = reason;
        this.unacknowledgedBytes = unacknowledgedBytes;
    }

    /**
     * Returns the reason of the close.
     *
     * @return the reason
     */
    public KcpCloseReason reason() {
        return reason;
    }

    /**
     * Returns the number of bytes that were written and not acknowledged by the peer.
     *
     * @return bytes, 0 if the peer acknowledged everything
     */
    public long unacknowledgedBytes() {
        return unacknowledgedBytes;
    }

    @Override
    public Throwable fillInStackTrace() {
        return this;
    }
}

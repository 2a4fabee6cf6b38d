package io.kcp.netty;

import java.io.IOException;
import java.io.Serial;
import org.jspecify.annotations.Nullable;

/**
 * A session ended and not by the will of its application, or because that failed, or not with all its data delivered. Failed
 * writes have it as cause, {@link KcpChannel#closeCause()} keeps it. {@code exceptionCaught} sees it if it is a failure: not if the
 * parent was closed, and not if the peer has gone ({@link KcpCloseReason#IDLE}, {@link KcpCloseReason#PEER_SILENT}) and everything
 * written before is acknowledged. Nor is {@code exceptionCaught} called if a server closes a session because its peer is inactive or
 * does not read, and that peer never acknowledged a segment: its address may be forged, and a flood of such sessions would fill the log.
 * Has no stack trace: where it was noticed says nothing.
 */
public final class KcpCloseException extends IOException {

    @Serial
    private static final long serialVersionUID = 1L;

    /** Why. */
    private final KcpCloseReason reason;
    /** Accepted but not acknowledged. */
    private final long unacknowledgedBytes;

    KcpCloseException(KcpCloseReason reason, String session, long unacknowledgedBytes, @Nullable Throwable cause) {
        super(session + ": " + reason.text()
            + (unacknowledgedBytes > 0 ? "; " + unacknowledgedBytes + " bytes were not acknowledged" : ""), cause);
        this.reason = reason;
        this.unacknowledgedBytes = unacknowledgedBytes;
    }

    /**
     * Returns why the session ended.
     *
     * @return the reason
     */
    public KcpCloseReason reason() {
        return reason;
    }

    /**
     * Returns how many bytes were written and not acknowledged by the peer.
     *
     * @return bytes, 0 if everything arrived
     */
    public long unacknowledgedBytes() {
        return unacknowledgedBytes;
    }

    @Override
    public Throwable fillInStackTrace() {
        return this;
    }
}

package io.kcp.netty.internal.channel;

import io.kcp.netty.KcpCloseReason;
import org.jspecify.annotations.Nullable;

/** The codes of {@link KcpCloseReason} in a close notice. */
final class NoticeCodes {

    /**
     * Reasons in the order of their codes in a close notice. The order must not change, because peers may use another release of this
     * library.
     */
    private static final @Nullable KcpCloseReason[] BY_CODE = {null, KcpCloseReason.LINGER_EXPIRED, KcpCloseReason.PEER_TIMEOUT,
        KcpCloseReason.TRANSMISSIONS_EXHAUSTED, KcpCloseReason.PEER_NOT_READING, KcpCloseReason.IDLE, KcpCloseReason.PARENT_CLOSED,
        KcpCloseReason.EVICTED, KcpCloseReason.MEMORY_LIMIT, KcpCloseReason.FAILED, KcpCloseReason.APPLICATION_FAILED,
        KcpCloseReason.REJECTED, KcpCloseReason.FIRST_MESSAGE_TIMEOUT, KcpCloseReason.PEER_TOO_SLOW, KcpCloseReason.PROTOCOL_ERROR,
        KcpCloseReason.TLS_FAILED};
    /** Code in a close notice for a reason that is not in the table. */
    private static final int OTHER = 255;

    private NoticeCodes() {
    }

    /**
     * Returns the code of a reason in a close notice. The code is 0 for null, that is, if the application closed the session and all data
     * was acknowledged.
     */
    static int of(@Nullable KcpCloseReason reason) {
        for (int code = 0; code < BY_CODE.length; code++) {
            if (BY_CODE[code] == reason) {
                return code;
            }
        }
        return OTHER;
    }

    /** Returns the reason with the given code, or null if the code is 0 or unknown to this release. */
    static @Nullable KcpCloseReason reason(int code) {
        return code < BY_CODE.length ? BY_CODE[code] : null;
    }
}

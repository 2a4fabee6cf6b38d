package io.kcp.netty.reconnect;

import java.io.IOException;
import java.io.Serial;
import java.time.Duration;

/**
 * Signals that the peer of a new session has not responded within the
 * {@linkplain KcpReconnectBuilder#answerTimeout(Duration) response timeout}.
 */
public final class PeerAbsentException extends IOException {

    @Serial
    private static final long serialVersionUID = 1L;

    PeerAbsentException(String session, Duration answerTimeout) {
        super(session + ": no response within " + answerTimeout.toMillis() + " ms. Check that the server is running with the same cipher"
            + " and key, and that this side writes a message first.");
    }

    @Override
    public Throwable fillInStackTrace() {
        return this;
    }
}

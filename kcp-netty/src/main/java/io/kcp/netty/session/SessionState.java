package io.kcp.netty.session;

/** The states of a session, in the order in which it passes them. Only the first and the last state are never skipped. */
public enum SessionState {
    /** The session is not registered yet. */
    NEW,
    /** The session is registered and open. */
    ACTIVE,
    /** {@code close()} was called; the session waits until all data is acknowledged or the linger time is over. */
    LINGERING,
    /** The handlers are being notified of the failure that closes the session. */
    ENDING,
    /** The session is closed. */
    CLOSED
}

package io.kcp.netty.internal.session;

/** The states of a session, in the order in which it passes through them. Only the first and the last state are never skipped. */
public enum SessionState {
    /** The session is not registered yet. */
    NEW,
    /** The session is registered and open. */
    ACTIVE,
    /** The application has closed the session, which waits until all data is acknowledged or the linger time is over. */
    LINGERING,
    /** A failure closes the session, and its handlers are being notified. */
    ENDING,
    /** The session is closed. */
    CLOSED
}

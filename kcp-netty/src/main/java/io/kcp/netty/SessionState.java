package io.kcp.netty;

/** The states of a session, in order; a session may skip all but the first and the last. */
enum SessionState {
    /** Until the session is registered. */
    NEW,
    ACTIVE,
    /** From {@code close()} until all data is acknowledged or the linger is over. */
    LINGERING,
    /** While handlers are notified of the failure that closes the session. */
    ENDING,
    CLOSED
}

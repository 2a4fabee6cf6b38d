package io.kcp.spring.actuate;

/** State of a server. */
public enum ServerState {
    /** The server accepts sessions. */
    ACCEPTING,
    /** The server no longer accepts sessions, but its open sessions continue. */
    DRAINING,
    /** The server is not running. */
    STOPPED
}

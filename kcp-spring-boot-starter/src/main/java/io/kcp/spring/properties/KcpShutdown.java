package io.kcp.spring.properties;

/** Type of shutdown that a server performs when the application stops. */
public enum KcpShutdown {
    /** Stops accepting sessions, and closes each open session after its peer has acknowledged all data. */
    GRACEFUL,
    /** Closes all sessions immediately, which discards unacknowledged data. */
    IMMEDIATE
}

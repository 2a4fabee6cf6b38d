package io.kcp.spring.properties;

/** How the open sessions of a server are closed when the application stops. */
public enum KcpShutdown {
    /** The server accepts no more sessions. Each open session closes when its peer has acknowledged all data. */
    GRACEFUL,
    /** All sessions are closed immediately. Unacknowledged data is lost. */
    IMMEDIATE
}

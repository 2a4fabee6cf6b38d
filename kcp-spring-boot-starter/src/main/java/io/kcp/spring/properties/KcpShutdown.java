package io.kcp.spring.properties;

/** How the sessions of a server end when the application stops. */
public enum KcpShutdown {
    /** No new ones are accepted; those that are open are closed when their data is acknowledged. */
    GRACEFUL,
    /** All at once; what was not acknowledged is lost. */
    IMMEDIATE
}

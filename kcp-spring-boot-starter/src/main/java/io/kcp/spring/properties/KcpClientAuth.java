package io.kcp.spring.properties;

/** Whether the clients of a server authenticate with a certificate. The values are those of Boot's {@code server.ssl.client-auth}. */
public enum KcpClientAuth {
    /** Clients are not asked for a certificate. */
    NONE,
    /** Clients may authenticate with a certificate. */
    WANT,
    /** Clients must authenticate with a certificate. */
    NEED
}

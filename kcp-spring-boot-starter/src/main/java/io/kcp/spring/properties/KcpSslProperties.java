package io.kcp.spring.properties;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Configuration properties for TLS inside sessions. */
public class KcpSslProperties {

    /** Name of the SSL bundle, configured under spring.ssl.bundle, that TLS inside sessions uses. By default, sessions do not use TLS. */
    private @Nullable String bundle;

    /** Time within which the TLS handshake of a session must finish, or 0 to disable the timeout. */
    private Duration handshakeTimeout = Duration.ofSeconds(10);

    /** Creates properties with their default values. */
    public KcpSslProperties() {
    }

    public @Nullable String getBundle() {
        return bundle;
    }

    public void setBundle(@Nullable String bundle) {
        this.bundle = bundle;
    }

    public Duration getHandshakeTimeout() {
        return handshakeTimeout;
    }

    public void setHandshakeTimeout(Duration handshakeTimeout) {
        this.handshakeTimeout = handshakeTimeout;
    }
}

package io.kcp.spring.properties;

/** Configuration properties for TLS inside the sessions of a server. */
public class KcpServerSslProperties extends KcpSslProperties {

    /** Whether clients must authenticate with a certificate that the SSL bundle trusts. */
    private KcpClientAuth clientAuth = KcpClientAuth.NONE;

    /** Whether TLS handshakes begin only when clients have proved that they receive datagrams at their addresses. */
    private boolean validatedPeersOnly = true;

    /** Creates properties with their default values. */
    public KcpServerSslProperties() {
    }

    public KcpClientAuth getClientAuth() {
        return clientAuth;
    }

    public void setClientAuth(KcpClientAuth clientAuth) {
        this.clientAuth = clientAuth;
    }

    public boolean isValidatedPeersOnly() {
        return validatedPeersOnly;
    }

    public void setValidatedPeersOnly(boolean validatedPeersOnly) {
        this.validatedPeersOnly = validatedPeersOnly;
    }
}

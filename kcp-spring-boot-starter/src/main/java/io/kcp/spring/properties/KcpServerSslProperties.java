package io.kcp.spring.properties;

/** Configuration properties for TLS inside the sessions of a server. */
public class KcpServerSslProperties extends KcpSslProperties {

    /** Whether clients must authenticate with a certificate that the SSL bundle trusts. */
    private KcpClientAuth clientAuth = KcpClientAuth.NONE;

    /** Creates properties with their default values. */
    public KcpServerSslProperties() {
    }

    public KcpClientAuth getClientAuth() {
        return clientAuth;
    }

    public void setClientAuth(KcpClientAuth clientAuth) {
        this.clientAuth = clientAuth;
    }
}

package io.kcp.spring.properties;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.NestedConfigurationProperty;

/** Configuration properties for KCP client sessions. */
@ConfigurationProperties("kcp.client")
public class KcpClientProperties extends KcpSessionProperties {

    /** TLS inside the sessions. */
    @NestedConfigurationProperty
    private final KcpSslProperties ssl = new KcpSslProperties();

    /** Settings for reconnecting lost sessions. */
    @NestedConfigurationProperty
    private final KcpReconnectProperties reconnect = new KcpReconnectProperties();

    /** Creates properties with their default values. */
    public KcpClientProperties() {
    }

    public KcpSslProperties getSsl() {
        return ssl;
    }

    public KcpReconnectProperties getReconnect() {
        return reconnect;
    }
}

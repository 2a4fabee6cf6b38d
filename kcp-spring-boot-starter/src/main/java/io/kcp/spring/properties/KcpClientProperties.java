package io.kcp.spring.properties;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.NestedConfigurationProperty;

/** Properties of the client sessions of this application. */
@ConfigurationProperties("kcp.client")
public class KcpClientProperties extends KcpSessionProperties {

    /** Reconnecting of lost sessions. */
    @NestedConfigurationProperty
    private final KcpReconnectProperties reconnect = new KcpReconnectProperties();

    /** Creates properties with their default values. */
    public KcpClientProperties() {
    }

    public KcpReconnectProperties getReconnect() {
        return reconnect;
    }
}

package io.kcp.spring.properties;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.NestedConfigurationProperty;

/** Settings of sessions that this application opens. */
@ConfigurationProperties("kcp.client")
public class KcpClientProperties extends KcpSessionProperties {

    /** How sessions come back that were lost. */
    @NestedConfigurationProperty
    private final KcpReconnectProperties reconnect = new KcpReconnectProperties();

    /** Creates what nothing is set in. */
    public KcpClientProperties() {
    }

    public KcpReconnectProperties getReconnect() {
        return reconnect;
    }
}

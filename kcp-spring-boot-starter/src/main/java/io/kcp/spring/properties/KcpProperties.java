package io.kcp.spring.properties;

import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.NestedConfigurationProperty;

/** The servers of the application. */
@ConfigurationProperties("kcp")
public class KcpProperties {

    /** The server, if there is one only. */
    @NestedConfigurationProperty
    private final KcpServerProperties server = new KcpServerProperties();

    /** Several servers by name. */
    private final Map<String, KcpServerProperties> servers = new LinkedHashMap<>();

    /** Creates what nothing is set in. */
    public KcpProperties() {
    }

    public KcpServerProperties getServer() {
        return server;
    }

    public Map<String, KcpServerProperties> getServers() {
        return servers;
    }
}

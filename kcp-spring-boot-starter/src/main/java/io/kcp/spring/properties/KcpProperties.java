package io.kcp.spring.properties;

import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.NestedConfigurationProperty;

/** Properties of the KCP servers of the application. */
@ConfigurationProperties("kcp")
public class KcpProperties {

    /** The server of an application with a single server. */
    @NestedConfigurationProperty
    private final KcpServerProperties server = new KcpServerProperties();

    /** Servers by name, for applications with several servers. */
    private final Map<String, KcpServerProperties> servers = new LinkedHashMap<>();

    /** Creates properties with their default values. */
    public KcpProperties() {
    }

    public KcpServerProperties getServer() {
        return server;
    }

    public Map<String, KcpServerProperties> getServers() {
        return servers;
    }
}

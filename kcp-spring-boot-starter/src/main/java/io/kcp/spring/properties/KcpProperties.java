package io.kcp.spring.properties;

import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.NestedConfigurationProperty;

/** Configuration properties for KCP servers. */
@ConfigurationProperties("kcp")
public class KcpProperties {

    /** Settings of the server of an application with a single server. */
    @NestedConfigurationProperty
    private final KcpServerProperties server = new KcpServerProperties();

    /** Settings of the servers of an application with several servers, by name. */
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

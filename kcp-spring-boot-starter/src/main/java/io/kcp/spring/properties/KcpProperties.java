package io.kcp.spring.properties;

import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.NestedConfigurationProperty;

/** Configuration properties for KCP servers. */
@ConfigurationProperties("kcp")
public class KcpProperties {

    /** Properties of the server, if the application has only one. */
    @NestedConfigurationProperty
    private final KcpServerProperties server = new KcpServerProperties();

    /** Properties of each server by name, if the application has several. */
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

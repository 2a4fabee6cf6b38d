package io.kcp.spring.server;

import io.kcp.spring.KcpServer;
import io.kcp.spring.KcpServerCustomizer;
import io.kcp.spring.KcpServers;
import io.kcp.spring.properties.ServerSettings;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.ssl.SslBundles;

/** Creates the servers that are configured by properties, and iterates over them in the order of the properties. */
final class ConfiguredKcpServers implements KcpServers {

    private final Map<String, NettyKcpServer> byName = new LinkedHashMap<>();

    ConfiguredKcpServers(List<ServerSettings> servers, List<KcpServerCustomizer> customizers, @Nullable SslBundles bundles) {
        for (ServerSettings settings : servers) {
            customizers.forEach(customizer -> customizer.customize(settings.name(), settings.bootstrap()));
            byName.put(settings.name(), new NettyKcpServer(settings, settings.tls(bundles)));
        }
    }

    List<NettyKcpServer> all() {
        return List.copyOf(byName.values());
    }

    @Override
    public @Nullable KcpServer find(String name) {
        return byName.get(name);
    }

    @Override
    public Iterator<KcpServer> iterator() {
        return Collections.<KcpServer>unmodifiableCollection(byName.values()).iterator();
    }
}

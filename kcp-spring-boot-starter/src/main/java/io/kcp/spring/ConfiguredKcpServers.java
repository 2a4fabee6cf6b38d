package io.kcp.spring;

import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The servers of the properties, in their order. */
final class ConfiguredKcpServers implements KcpServers {

    /** The name of that under {@code kcp.server}. */
    static final String DEFAULT_NAME = "server";
    private static final String DEFAULT_PREFIX = "kcp.server";
    private static final String NAMED_PREFIX = "kcp.servers.";

    private final Map<String, NettyKcpServer> byName = new LinkedHashMap<>();

    ConfiguredKcpServers(KcpProperties properties, KcpServerFactory factory) {
        if (properties.getServer().getPort() != null) {
            add(DEFAULT_NAME, DEFAULT_PREFIX, properties.getServer(), factory);
        }
        properties.getServers().forEach((name, server) -> {
            String prefix = NAMED_PREFIX + name;
            if (byName.containsKey(name)) {
                throw new KcpPropertyException(prefix, "\"" + name + "\" is the name of the server under " + DEFAULT_PREFIX,
                    "Give it another name", null);
            }
            add(name, prefix, server, factory);
        });
    }

    private void add(String name, String prefix, KcpServerProperties properties, KcpServerFactory factory) {
        byName.put(name, factory.create(name, prefix, properties));
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

package io.kcp.spring.server;

import io.kcp.spring.KcpServer;
import io.kcp.spring.KcpServerInitializedEvent;
import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;

/**
 * For each bound server, sets the property {@code local.kcp.<name>.port} to the server's port. For {@code kcp.server}, the name is
 * {@code server}.
 */
final class LocalPortsInitializer implements ApplicationContextInitializer<ConfigurableApplicationContext> {

    private static final String SOURCE = "kcp.server.ports";

    @Override
    public void initialize(ConfigurableApplicationContext context) {
        context.addApplicationListener((ApplicationListener<KcpServerInitializedEvent>) event -> set(context, event.getServer()));
    }

    private static void set(ConfigurableApplicationContext context, KcpServer server) {
        ConfigurableEnvironment environment = context.getEnvironment();
        MapPropertySource source = (MapPropertySource) environment.getPropertySources().get(SOURCE);
        // Replaces the property source instead of changing it, because other threads may be reading its properties.
        Map<String, Object> ports = source == null ? new LinkedHashMap<>() : new LinkedHashMap<>(source.getSource());
        ports.put("local.kcp." + server.name() + ".port", server.localAddress().getPort());
        MapPropertySource newer = new MapPropertySource(SOURCE, ports);
        if (source == null) {
            environment.getPropertySources().addFirst(newer);
        } else {
            environment.getPropertySources().replace(SOURCE, newer);
        }
    }
}

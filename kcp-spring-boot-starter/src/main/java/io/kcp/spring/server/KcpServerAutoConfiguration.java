package io.kcp.spring.server;

import io.kcp.spring.KcpDrainListener;
import io.kcp.spring.KcpServerCustomizer;
import io.kcp.spring.KcpServers;
import io.kcp.spring.KcpSessionHandlerProvider;
import io.kcp.spring.properties.KcpProperties;
import io.kcp.spring.properties.ServerSettings;
import java.util.ArrayList;
import java.util.List;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.availability.ApplicationAvailability;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;

/** Auto-configuration for the KCP servers that {@code kcp.server} and {@code kcp.servers.<name>} configure. */
@AutoConfiguration
@Conditional(OnKcpServerCondition.class)
@EnableConfigurationProperties(KcpProperties.class)
public final class KcpServerAutoConfiguration {

    @Bean
    ConfiguredKcpServers kcpServers(KcpProperties properties, ObjectProvider<KcpServerCustomizer> customizers,
        ObjectProvider<SslBundles> bundles) {
        return new ConfiguredKcpServers(ServerSettings.readAll(properties), customizers.orderedStream().toList(),
            bundles.getIfAvailable());
    }

    @Bean
    KcpSessionHandlerProvider kcpChannelInitializerBeans(ConfigurableListableBeanFactory beans, KcpServers servers) {
        List<String> names = new ArrayList<>();
        servers.forEach(server -> names.add(server.name()));
        return new ChannelInitializerBeans(beans, names);
    }

    @Bean
    KcpServerStartStopLifecycle kcpServerStartStopLifecycle(ConfiguredKcpServers servers,
        ObjectProvider<KcpSessionHandlerProvider> providers, ObjectProvider<SessionRegistration> registration, ApplicationContext context) {
        SessionHandlers handlers = new SessionHandlers(providers.orderedStream().toList(), registration.getIfAvailable());
        return new KcpServerStartStopLifecycle(servers, handlers, context);
    }

    @Bean
    KcpServerGracefulShutdownLifecycle kcpServerGracefulShutdownLifecycle(ConfiguredKcpServers servers,
        ObjectProvider<KcpDrainListener> listeners) {
        return new KcpServerGracefulShutdownLifecycle(servers, listeners.orderedStream().toList());
    }

    @Bean
    ContextClosedReadinessListener kcpContextClosedReadinessListener(ApplicationContext context,
        ObjectProvider<ApplicationAvailability> availability) {
        return new ContextClosedReadinessListener(context, availability.getIfAvailable());
    }
}

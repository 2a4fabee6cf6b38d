package io.kcp.spring.server;

import io.kcp.netty.registry.KcpSessionRegistry;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/**
 * Auto-configuration for a {@code KcpSessionRegistry<String, String>} that contains the open sessions of all servers. A session is added
 * before its handlers are called. If the application defines a registry bean, of any type arguments, the sessions are added to that bean
 * instead.
 */
@AutoConfiguration
@ConditionalOnBooleanProperty(name = "kcp.registry.enabled", matchIfMissing = true)
public final class KcpSessionRegistryAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean(KcpSessionRegistry.class)
    KcpSessionRegistry<String, String> kcpSessionRegistry() {
        return new KcpSessionRegistry<>();
    }

    @Bean
    SessionRegistration kcpSessionRegistration(ObjectProvider<KcpSessionRegistry<?, ?>> registries) {
        return new SessionRegistration(registries);
    }
}

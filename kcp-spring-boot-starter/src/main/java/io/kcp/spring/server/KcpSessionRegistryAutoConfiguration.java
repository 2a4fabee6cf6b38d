package io.kcp.spring.server;

import io.kcp.netty.registry.KcpSessionRegistry;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/**
 * Who is connected: a {@code KcpSessionRegistry<String, String>} with the sessions of all servers, each added before its handlers
 * see it. An own bean, of other types perhaps, takes its place and has the sessions added too.
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

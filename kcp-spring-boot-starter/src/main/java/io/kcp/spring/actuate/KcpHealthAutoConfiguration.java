package io.kcp.spring.actuate;

import io.kcp.spring.KcpServers;
import io.kcp.spring.server.KcpServerAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/** Auto-configuration for the {@code kcp} health indicator. Setting {@code management.health.kcp.enabled=false} disables it. */
@AutoConfiguration(after = KcpServerAutoConfiguration.class)
@ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
@ConditionalOnBean(KcpServers.class)
public final class KcpHealthAutoConfiguration {

    @Bean
    @ConditionalOnEnabledHealthIndicator("kcp")
    @ConditionalOnMissingBean(name = {"kcpHealthIndicator", "kcpHealthContributor"})
    HealthIndicator kcpHealthIndicator(KcpServers servers) {
        return new KcpServersHealthIndicator(servers);
    }
}

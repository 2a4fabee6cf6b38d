package io.kcp.spring.actuate;

import io.kcp.netty.metrics.KcpMeterBinder;
import io.kcp.spring.KcpServers;
import io.kcp.spring.server.KcpServerAutoConfiguration;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;

/**
 * Auto-configuration that registers the meters of {@link KcpMeterBinder} for KCP servers. The tag {@code server} contains the name of the
 * server.
 */
@AutoConfiguration(after = KcpServerAutoConfiguration.class,
    afterName = "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration")
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnBean(KcpServers.class)
@ConditionalOnSingleCandidate(MeterRegistry.class)
public final class KcpMetricsAutoConfiguration {

    @Bean
    ServerMetrics kcpServerMetrics(MeterRegistry registry) {
        return new ServerMetrics(registry);
    }
}

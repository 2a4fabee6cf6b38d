package io.kcp.spring.actuate;

import io.kcp.spring.KcpServers;
import io.kcp.spring.server.KcpServerAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** Auto-configuration for the {@code kcp} Actuator endpoint, which applies only if the endpoint is exposed and accessible. */
@AutoConfiguration(after = KcpServerAutoConfiguration.class)
@ConditionalOnClass({Endpoint.class, ConditionalOnAvailableEndpoint.class})
@ConditionalOnBean(KcpServers.class)
public final class KcpEndpointAutoConfiguration {

    @Bean
    @ConditionalOnAvailableEndpoint(KcpEndpoint.class)
    @ConditionalOnMissingBean
    KcpEndpoint kcpEndpoint(KcpServers servers) {
        return new KcpEndpoint(servers);
    }
}

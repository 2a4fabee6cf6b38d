package io.kcp.spring;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

/** Sessions that the application opens, by {@code kcp.client}. */
@AutoConfiguration
@EnableConfigurationProperties(KcpClientProperties.class)
public final class KcpClientAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean(KcpClientFactory.class)
    NettyKcpClientFactory kcpClientFactory(KcpClientProperties properties, ObjectProvider<KcpClientCustomizer> customizers) {
        return new NettyKcpClientFactory(new ClientSettings(properties), customizers.orderedStream().toList());
    }
}

package io.kcp.spring.handler;

import io.kcp.spring.KcpSessionHandlerProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;

/** Auto-configuration for {@link KcpController} beans. */
@AutoConfiguration
public final class KcpControllerAutoConfiguration {

    KcpControllerAutoConfiguration() {
    }

    @Bean
    KcpSessionHandlerProvider kcpControllerHandlerProvider(ConfigurableApplicationContext context, BlockingSessions sessions) {
        return new ControllerHandlerProvider(context, sessions);
    }

    @Bean
    BlockingSessions kcpBlockingSessions() {
        return new BlockingSessions();
    }
}

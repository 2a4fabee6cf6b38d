package io.kcp.spring.server;

import io.kcp.spring.KcpSessionHandlerProvider;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.NoneNestedConditions;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.core.env.Environment;

/**
 * Auto-configuration that logs a message if no server is configured, because the port property may be missing or misspelled. Applications
 * that only set {@code kcp.client} are not expected to have a server.
 */
@AutoConfiguration
@Conditional(KcpWithoutServerAutoConfiguration.OnNoKcpServerCondition.class)
public final class KcpWithoutServerAutoConfiguration {

    private static final Log LOG = LogFactory.getLog(KcpWithoutServerAutoConfiguration.class);

    @Bean
    static SmartInitializingSingleton kcpWithoutServer(ConfigurableListableBeanFactory beans, Environment environment) {
        return () -> {
            if (!OnKcpServerCondition.hasAny(environment, "kcp.client")
                || OnKcpServerCondition.hasAny(environment, "kcp.server") || ChannelInitializerBeans.names(beans).length > 0
                || beans.getBeanProvider(KcpSessionHandlerProvider.class).stream().anyMatch(KcpSessionHandlerProvider::hasHandlers)) {
                LOG.info("No KCP server starts because kcp.server.port is not set (0 selects any free port)");
            }
        };
    }

    static final class OnNoKcpServerCondition extends NoneNestedConditions {

        OnNoKcpServerCondition() {
            super(ConfigurationPhase.PARSE_CONFIGURATION);
        }

        @Conditional(OnKcpServerCondition.class)
        static final class Server {
        }
    }
}

package io.kcp.examples.arena.web;

import io.kcp.examples.arena.server.Gateway;
import io.kcp.spring.KcpServers;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Makes what the page looks at. */
@Configuration(proxyBeanMethods = false)
final class LiveConfiguration {

    @Bean
    LiveFeed liveFeed(Gateway gateway, KcpServers servers) {
        return new LiveFeed(gateway, servers);
    }
}

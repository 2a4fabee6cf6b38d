package io.kcp.examples.arena.server;

import io.kcp.examples.arena.room.LocalBackplane;
import io.kcp.examples.arena.room.RoomBackplane;
import io.kcp.netty.KcpChannel;
import io.kcp.netty.registry.KcpSessionRegistry;
import io.netty.channel.ChannelInitializer;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Puts a gateway together. Which backplane it has says {@code arena.backplane}. */
@Configuration(proxyBeanMethods = false)
final class GatewayConfiguration {

    @Bean
    @ConditionalOnProperty(name = "arena.backplane", havingValue = "local", matchIfMissing = true)
    RoomBackplane localBackplane() {
        return new LocalBackplane();
    }

    @Bean
    Gateway gateway(ArenaProperties properties, RoomBackplane backplane) {
        return new Gateway(properties, backplane, new KcpSessionRegistry<>());
    }

    @Bean
    GatewayDrain gatewayDrain(Gateway gateway) {
        return new GatewayDrain(gateway);
    }

    @Bean
    ChannelInitializer<KcpChannel> playerSessions(Gateway gateway) {
        return new PlayerSessionInitializer(gateway);
    }
}

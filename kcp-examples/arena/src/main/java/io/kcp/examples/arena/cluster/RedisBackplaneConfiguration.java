package io.kcp.examples.arena.cluster;

import io.kcp.examples.arena.room.RoomBackplane;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Makes the gateway one of many: with {@code arena.backplane=redis}. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnProperty(name = "arena.backplane", havingValue = "redis")
final class RedisBackplaneConfiguration {

    @Bean
    RoomBackplane redisBackplane(RedisBackplaneProperties properties) {
        return new RedisBackplane(properties);
    }
}

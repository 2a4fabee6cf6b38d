package io.kcp.examples.cluster;

import io.kcp.examples.arena.room.ArenaCounters;
import io.kcp.examples.arena.room.Room;
import io.kcp.examples.arena.room.Rooms;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.SocketOptions.KeepAliveOptions;
import io.lettuce.core.SocketOptions.TcpUserTimeoutOptions;
import io.lettuce.core.resource.Delay;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.data.redis.autoconfigure.ClientResourcesBuilderCustomizer;
import org.springframework.boot.data.redis.autoconfigure.LettuceClientOptionsBuilderCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.ReactiveRedisConnectionFactory;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.listener.ReactiveRedisMessageListenerContainer;
import org.springframework.integration.redis.util.RedisLockRegistry;

/** Replaces the rooms of the arena example with rooms that gateways share through Redis. */
@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(ClusterProperties.class)
class ClusterConfiguration {

    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(2);
    private static final Duration MAX_RECONNECT_DELAY = Duration.ofSeconds(1);
    private static final Duration PROBE_AFTER = Duration.ofSeconds(2);
    private static final Duration PROBE_INTERVAL = Duration.ofSeconds(1);
    private static final int PROBES = 3;
    private static final Duration DEAD_AFTER = Duration.ofSeconds(5);
    private static final int MAX_QUEUED_COMMANDS = 50_000;

    /**
     * Configures TCP keepalive and the TCP user timeout. Without these settings, the failure of a host would be detected only after 15
     * minutes.
     */
    @Bean
    LettuceClientOptionsBuilderCustomizer redisTimeouts() {
        return options -> options.requestQueueSize(MAX_QUEUED_COMMANDS).socketOptions(SocketOptions.builder()
            .connectTimeout(CONNECT_TIMEOUT)
            .keepAlive(KeepAliveOptions.builder().enable().idle(PROBE_AFTER).interval(PROBE_INTERVAL).count(PROBES).build())
            .tcpUserTimeout(TcpUserTimeoutOptions.builder().enable().tcpUserTimeout(DEAD_AFTER).build()).build());
    }

    @Bean
    ClientResourcesBuilderCustomizer redisReconnects() {
        return resources -> resources.reconnectDelay(Delay.exponential(Duration.ZERO, MAX_RECONNECT_DELAY, 2, TimeUnit.MILLISECONDS));
    }

    @Bean
    ReactiveRedisMessageListenerContainer roomTopics(ReactiveRedisConnectionFactory connections) {
        return new ReactiveRedisMessageListenerContainer(connections);
    }

    @Bean
    ArenaRedis arenaRedis(ReactiveRedisConnectionFactory connections, ReactiveRedisMessageListenerContainer topics,
                          ClusterProperties properties) {
        return new ArenaRedis(connections, topics, properties.kept());
    }

    @Bean
    RedisLockRegistry leaderLocks(RedisConnectionFactory connections, ClusterProperties properties) {
        return new RedisLockRegistry(connections, "arena:leader", properties.leadTime());
    }

    @Bean
    Leadership leadership(RedisLockRegistry leaderLocks, ClusterProperties properties) {
        return new Leadership(leaderLocks, properties.leadTime());
    }

    @Bean
    BalancerDrain balancerDrain(Rooms rooms, ArenaCounters counters) {
        return new BalancerDrain(rooms, counters);
    }

    @Bean
    Room.Factory sharedRooms(ArenaRedis redis, Leadership leadership) {
        return (name, rooms, executor) -> new SharedRoom(name, rooms, executor, redis, leadership);
    }
}

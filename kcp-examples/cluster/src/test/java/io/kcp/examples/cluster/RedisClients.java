package io.kcp.examples.cluster;

import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.listener.ReactiveRedisMessageListenerContainer;
import org.springframework.integration.redis.util.RedisLockRegistry;

/** Redis clients of a gateway, without the gateway itself. */
final class RedisClients implements AutoCloseable {

    final LettuceConnectionFactory connections;
    final ArenaRedis redis;
    private final ReactiveRedisMessageListenerContainer topics;

    RedisClients(RedisServer server) {
        connections = new LettuceConnectionFactory("127.0.0.1", server.port());
        connections.start();
        topics = new ReactiveRedisMessageListenerContainer(connections);
        redis = new ArenaRedis(connections, topics, Duration.ofHours(1));
    }

    Leadership leadership(Duration leadTime) {
        return new Leadership(new RedisLockRegistry(connections, "arena:leader", leadTime), leadTime);
    }

    static <T> T await(CompletionStage<T> stage) {
        return stage.toCompletableFuture().orTimeout(20, TimeUnit.SECONDS).join();
    }

    @Override
    public void close() {
        topics.destroy();
        connections.destroy();
    }
}

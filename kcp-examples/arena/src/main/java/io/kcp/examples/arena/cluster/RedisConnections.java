package io.kcp.examples.arena.cluster;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.SocketOptions.KeepAliveOptions;
import io.lettuce.core.SocketOptions.TcpUserTimeoutOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.lettuce.core.resource.Delay;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * The connections to Redis of one backplane: one for questions, one that waits in the logs, one that listens to topics. Each comes
 * back by itself, and what was asked is then asked again: all of it may be.
 */
final class RedisConnections implements AutoCloseable {

    private static final RedisCodec<String, byte[]> CODEC = RedisCodec.of(StringCodec.UTF8, ByteArrayCodec.INSTANCE);
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(2);
    private static final Duration LONGEST_RECONNECT_DELAY = Duration.ofSeconds(1);
    /** Without these a host that is gone is noticed after a quarter of an hour: nothing comes from it, not even a refusal. */
    private static final Duration PROBE_AFTER = Duration.ofSeconds(2);
    private static final Duration PROBE_INTERVAL = Duration.ofSeconds(1);
    private static final int PROBES = 3;
    private static final Duration DEAD_AFTER = PROBE_AFTER.plus(PROBE_INTERVAL.multipliedBy(PROBES));
    /** What waits while Redis is away; more is refused, rather than kept until memory is full. */
    private static final int MAX_QUEUED = 50_000;
    private static final int THREADS = 2;
    private static final long SHUTDOWN_SECONDS = 2;

    final StatefulRedisConnection<String, byte[]> questions;
    final StatefulRedisConnection<String, byte[]> waiting;
    final StatefulRedisPubSubConnection<String, byte[]> topics;
    private final ClientResources resources;
    private final RedisClient client;

    RedisConnections(String uri, Duration timeout) {
        resources = DefaultClientResources.builder().ioThreadPoolSize(THREADS).computationThreadPoolSize(THREADS)
            .reconnectDelay(Delay.exponential(Duration.ZERO, LONGEST_RECONNECT_DELAY, 2, TimeUnit.MILLISECONDS)).build();
        client = RedisClient.create(resources, RedisURI.create(uri));
        client.setOptions(options(timeout));
        try {
            questions = client.connect(CODEC);
            waiting = client.connect(CODEC);
            topics = client.connectPubSub(CODEC);
        } catch (RuntimeException unreachable) {
            close();
            throw unreachable;
        }
    }

    static ClientOptions options(Duration timeout) {
        return ClientOptions.builder().requestQueueSize(MAX_QUEUED)
            .timeoutOptions(TimeoutOptions.builder().fixedTimeout(timeout).build())
            .socketOptions(SocketOptions.builder().connectTimeout(CONNECT_TIMEOUT)
                .keepAlive(KeepAliveOptions.builder().enable().idle(PROBE_AFTER).interval(PROBE_INTERVAL).count(PROBES).build())
                .tcpUserTimeout(TcpUserTimeoutOptions.builder().enable().tcpUserTimeout(DEAD_AFTER).build()).build()).build();
    }

    @Override
    public void close() {
        client.shutdown(0, SHUTDOWN_SECONDS, TimeUnit.SECONDS);
        resources.shutdown(0, SHUTDOWN_SECONDS, TimeUnit.SECONDS).awaitUninterruptibly();
    }
}

package io.kcp.examples.cluster;

import io.kcp.examples.arena.wire.RoomPosition;
import io.kcp.examples.arena.wire.ServerMessage;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.springframework.core.io.ClassPathResource;
import org.springframework.data.domain.Range;
import org.springframework.data.redis.connection.Limit;
import org.springframework.data.redis.connection.ReactiveRedisConnectionFactory;
import org.springframework.data.redis.connection.ReactiveSubscription;
import org.springframework.data.redis.connection.stream.MapRecord;
import org.springframework.data.redis.core.ReactiveRedisTemplate;
import org.springframework.data.redis.core.script.RedisScript;
import org.springframework.data.redis.listener.ChannelTopic;
import org.springframework.data.redis.listener.ReactiveRedisMessageListenerContainer;
import org.springframework.data.redis.serializer.RedisElementReader;
import org.springframework.data.redis.serializer.RedisElementWriter;
import org.springframework.data.redis.serializer.RedisSerializationContext;
import org.springframework.data.redis.serializer.RedisSerializationContext.SerializationPair;
import org.springframework.data.redis.serializer.RedisSerializer;
import reactor.core.publisher.Flux;
import reactor.util.retry.Retry;

/**
 * Accesses the data in Redis that all gateways share. The chat messages of a room are a stream whose ids are numbered without gaps. Events
 * that may be lost use publish and subscribe. The braces in the keys place all data of a room in one slot of a Redis cluster. Thread safe.
 */
final class ArenaRedis {

    /** First byte of the event that announces new chat messages in the stream. */
    static final byte NEW_MESSAGES = 'm';
    private static final Duration WORLD_KEPT = Duration.ofMinutes(10);
    private static final Duration RESUBSCRIBE_DELAY = Duration.ofMillis(500);
    private static final RedisScript<String> OPEN = script("open.lua");
    private static final RedisScript<String> PUBLISH = script("publish.lua");
    private static final String ACCEPTED = "accepted";

    private final ReactiveRedisTemplate<String, byte[]> redis;
    private final ReactiveRedisMessageListenerContainer topics;
    private final long keptMs;

    ArenaRedis(ReactiveRedisConnectionFactory connections, ReactiveRedisMessageListenerContainer topics, Duration kept) {
        this.topics = topics;
        keptMs = kept.toMillis();
        redis = new ReactiveRedisTemplate<>(connections, RedisSerializationContext.<String, byte[]>newSerializationContext()
            .key(RedisSerializer.string()).value(RedisSerializer.byteArray()).hashKey(RedisSerializer.string())
            .hashValue(RedisSerializer.byteArray()).build());
    }

    private static RedisScript<String> script(String file) {
        return RedisScript.of(new ClassPathResource(file, ArenaRedis.class), String.class);
    }

    private static String key(String room, String what) {
        return "arena:{" + room + "}:" + what;
    }

    /** Returns the Redis key of a room's message stream. */
    static String logKey(String room) {
        return key(room, "log");
    }

    private CompletionStage<String> run(RedisScript<String> script, List<String> keys, Object... arguments) {
        List<byte[]> bytes = Arrays.stream(arguments).map(argument -> bytes(String.valueOf(argument))).toList();
        return redis.execute(script, keys, bytes, RedisElementWriter.from(RedisSerializer.byteArray()),
            RedisElementReader.from(RedisSerializer.string())).next().toFuture()
            .thenApply(answer -> Objects.requireNonNull(answer, "the script returned nothing"));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** Returns the position of the most recent chat message of a room. Creates the log of the room if it does not exist. */
    CompletionStage<RoomPosition> open(String room) {
        return run(OPEN, List.of(key(room, "head")), keptMs).thenApply(ArenaRedis::position);
    }

    /**
     * Appends a chat message unless the log already contains its sequence number.
     *
     * @param head position of the last message that this gateway knows; if Redis has lost it, a new log begins
     * @return a stage that completes when Redis has stored the message, and fails with an {@link IllegalArgumentException} if Redis lacks
     *         earlier messages of the player
     */
    CompletionStage<@Nullable Void> publish(String room, RoomPosition head, int history, String login, long sequence, String text) {
        return run(PUBLISH, List.of(logKey(room), key(room, "head"), key(room, "sent:" + login)), login, sequence, text, history, keptMs,
            head.log(), head.entry(), key(room, "events"), (char) NEW_MESSAGES).thenApply(answer -> {
                if (!answer.equals(ACCEPTED)) {
                    throw new IllegalArgumentException("sequence: " + sequence + " of " + login + " (expected: at most " + answer + ')');
                }
                return null;
            });
    }

    /** Returns the chat messages that follow a position, oldest first. Messages of a new log follow those of the old log. */
    CompletionStage<List<ServerMessage.Said>> after(String room, RoomPosition position, int count) {
        Range<String> rest = Range.rightUnbounded(Range.Bound.inclusive(position.next().toString()));
        return redis.<String, byte[]>opsForStream().range(logKey(room), rest, Limit.limit().count(count)).map(ArenaRedis::said)
            .collectList().toFuture().thenApply(page -> page == null ? List.of() : page);
    }

    private static ServerMessage.Said said(MapRecord<String, String, byte[]> entry) {
        Map<String, byte[]> fields = entry.getValue();
        return new ServerMessage.Said(position(entry.getId().getValue()), text(fields, "login"),
            Long.parseLong(text(fields, "sequence")), text(fields, "text"));
    }

    private static String text(Map<String, byte[]> fields, String name) {
        return new String(fields.getOrDefault(name, new byte[0]), StandardCharsets.UTF_8);
    }

    private static RoomPosition position(String id) {
        int dash = id.indexOf('-');
        return new RoomPosition(Long.parseLong(id.substring(0, dash)), Long.parseLong(id.substring(dash + 1)));
    }

    /** Sends an event to all gateways that have opened a room, including this one. Events may be lost. */
    void send(String room, byte[] event) {
        redis.convertAndSend(key(room, "events"), event).subscribe(receivers -> { }, unreachable -> { });
    }

    /** Returns a stream of a room's events that subscribes again after a connection failure. */
    Flux<byte[]> events(String room) {
        return topics.receive(List.of(ChannelTopic.of(key(room, "events"))), SerializationPair.fromSerializer(RedisSerializer.string()),
            SerializationPair.byteArray()).map(ReactiveSubscription.Message::getMessage)
            .retryWhen(Retry.fixedDelay(Long.MAX_VALUE, RESUBSCRIBE_DELAY));
    }

    CompletionStage<?> saveWorld(String room, byte[] world) {
        return redis.opsForValue().set(key(room, "world"), world, WORLD_KEPT).toFuture();
    }

    /** Returns the saved world of a room, or null if there is none. */
    CompletionStage<byte @Nullable []> loadWorld(String room) {
        return redis.opsForValue().get(key(room, "world")).toFuture();
    }
}

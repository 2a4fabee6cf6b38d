package io.kcp.examples.arena.cluster;

import io.kcp.examples.arena.room.NameHolder;
import io.kcp.examples.arena.room.RoomBackplane;
import io.kcp.examples.arena.room.RoomEntry;
import io.kcp.examples.arena.room.RoomPosition;
import io.kcp.examples.arena.room.Subscription;
import io.lettuce.core.Limit;
import io.lettuce.core.Range;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.netty.util.concurrent.DefaultEventExecutor;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutor;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A backplane in Redis, for gateways on several machines. The messages of a room are a stream; the lead, the world, where a user is
 * and whose name is whose are values with a time to live; inputs and snapshots go by publish and subscribe.
 *
 * <p>Positions count the entries of a room; the first part says in which log. So a jump says that entries are missing, as nobody
 * keeps all for ever; and a log that had to begin anew, because Redis lost it or its last entries, is not taken for the old one.
 *
 * <p>Redis may go away and come back. What is asked meanwhile waits, and fails after the timeout.
 */
public final class RedisBackplane implements RoomBackplane {

    /** Of how many of a user's messages it is known where they stand: at least as many as a client has unanswered at a time. */
    private static final int POSITIONS_OF_USER = 64;
    private static final int ENTRIES_PER_PAGE = 512;
    /** For gateways that follow each other: every room that anybody enters has a world, and they must not fill the memory. */
    private static final Duration WORLD_KEPT = Duration.ofMinutes(10);

    private final String id = UUID.randomUUID().toString();
    /** Behind the gateway's name, as a gateway that was started again is another one. */
    private final String leaderMark = '/' + id;
    private final EventExecutor executor = new DefaultEventExecutor(new DefaultThreadFactory("arena-backplane", true));
    private final Outstanding outstanding = new Outstanding();
    private final RedisBackplaneProperties properties;
    private final RedisConnections connections;
    private final RedisAsyncCommands<String, byte[]> redis;
    private final LogReader reader;
    private final Topics topics;

    /**
     * Connects.
     *
     * @param properties where Redis is
     * @throws io.lettuce.core.RedisConnectionException if it cannot be reached
     */
    public RedisBackplane(RedisBackplaneProperties properties) {
        this.properties = properties;
        connections = new RedisConnections(properties.uri(), properties.timeout());
        redis = connections.questions.async();
        reader = new LogReader(connections.waiting.async(), redis, RoomKeys.wake(id), executor);
        topics = new Topics(connections.topics, executor);
    }

    @Override
    public CompletionStage<RoomPosition> publish(String room, String user, long sequence, byte[] message) {
        String sent = RoomKeys.sent(room, user);
        outstanding.onSent(sent, sequence);
        RoomFeed feed = reader.feed(room);
        RoomPosition heard = feed != null ? feed.last() : RoomPosition.START;
        return RedisScript.PUBLISH.text(redis, new String[] {RoomKeys.log(room), RoomKeys.head(room), sent}, LogFields.bytes(user),
            LogFields.bytes(sequence), message, LogFields.bytes(properties.entries()), LogFields.bytes(POSITIONS_OF_USER),
            LogFields.bytes(properties.kept().toMillis()), LogFields.bytes(Long.toUnsignedString(heard.high())),
            LogFields.bytes(Long.toUnsignedString(heard.low())))
            .thenApply(answer -> position(user, sequence, sent, answer))
            .whenComplete((position, failure) -> outstanding.onAnswered(sent));
    }

    private RoomPosition position(String user, long sequence, String sent, String answer) {
        if (answer.indexOf('-') >= 0) {
            return RoomPosition.parse(answer);
        }
        long expected = Long.parseLong(answer) + 1;
        if (sequence > expected && outstanding.wasSent(sent, expected)) {
            throw new IllegalStateException("message " + sequence + " of " + user + " has overtaken " + expected
                + " while the connection to Redis was broken; publish it again after that one");
        }
        throw new IllegalArgumentException("sequence: " + sequence + " of " + user + " (expected: 1 to " + expected + ')');
    }

    @Override
    public Subscription subscribe(String room, RoomPosition after, Consumer<RoomEntry> listener) {
        LogSubscription[] itself = new LogSubscription[1];
        LogSubscription subscription = new LogSubscription(after, listener, () -> run(() -> unsubscribe(room, itself[0])));
        itself[0] = subscription;
        run(() -> {
            RoomFeed feed = reader.feed(room);
            if (feed == null) {
                feed = new RoomFeed(room, after, (name, position) -> after(name, position, ENTRIES_PER_PAGE), executor);
                reader.add(feed);
            }
            feed.add(subscription);
        });
        return subscription;
    }

    private void unsubscribe(String room, LogSubscription subscription) {
        RoomFeed feed = reader.feed(room);
        if (feed != null) {
            feed.remove(subscription);
            if (feed.isEmpty()) {
                reader.remove(feed);
            }
        }
    }

    @Override
    public CompletionStage<List<RoomEntry>> after(String room, RoomPosition position, int count) {
        Range<String> rest = Range.from(Range.Boundary.excluding(position.toString()), Range.Boundary.unbounded());
        return redis.xrange(RoomKeys.log(room), rest, Limit.from(count))
            .thenApply(page -> page.stream().map(LogFields::entry).toList());
    }

    @Override
    public CompletionStage<RoomPosition> head(String room) {
        return redis.hmget(RoomKeys.head(room), "log", "entries").thenApply(fields -> fields.stream().allMatch(field -> field.hasValue())
            ? RoomPosition.parse(LogFields.text(fields.get(0).getValue()) + '-' + LogFields.text(fields.get(1).getValue()))
            : RoomPosition.START);
    }

    @Override
    public CompletionStage<Boolean> lead(String room, String gateway, Duration timeToLive) {
        return offer(RoomKeys.leader(room), LogFields.bytes(gateway + leaderMark), timeToLive)
            .thenApply(holder -> holder != NameHolder.ANOTHER && !timeToLive.isZero());
    }

    @Override
    public void sendInput(String room, byte[] input) {
        tell(RoomKeys.inputs(room), input);
    }

    @Override
    public Subscription inputs(String room, Consumer<byte[]> listener) {
        return topics.listen(RoomKeys.inputs(room), listener);
    }

    @Override
    public void publishSnapshot(String room, byte[] snapshot) {
        tell(RoomKeys.snapshots(room), snapshot);
    }

    @Override
    public Subscription snapshots(String room, Consumer<byte[]> listener) {
        return topics.listen(RoomKeys.snapshots(room), listener);
    }

    /** What may be lost is not kept for a Redis that is away. */
    private void tell(String topic, byte[] message) {
        if (connections.questions.isOpen()) {
            redis.publish(topic, message);
        }
    }

    /** {@inheritDoc} Fails if another leads: it knows better. */
    @Override
    public CompletionStage<@Nullable Void> saveWorld(String room, byte[] world) {
        return RedisScript.SAVE.bytes(redis, new String[] {RoomKeys.world(room), RoomKeys.leader(room)}, world,
            LogFields.bytes(leaderMark), LogFields.bytes(WORLD_KEPT.toMillis()))
            .thenApply(leader -> {
                if (leader != null) {
                    throw new IllegalStateException("room " + room + " is led by " + LogFields.text(leader));
                }
                return null;
            });
    }

    @Override
    public CompletionStage<byte @Nullable []> loadWorld(String room) {
        return redis.get(RoomKeys.world(room)).<byte @Nullable []>thenApply(world -> world);
    }

    @Override
    public CompletionStage<@Nullable String> claim(String user, String gateway, int attempt, Duration timeToLive) {
        return RedisScript.CLAIM.bytes(redis, new String[] {RoomKeys.gatewayOf(user)}, LogFields.bytes(gateway),
            LogFields.bytes(Integer.toUnsignedLong(attempt)), LogFields.bytes(timeToLive.toMillis()))
            .thenApply(holder -> holder == null ? null : LogFields.text(holder));
    }

    @Override
    public CompletionStage<NameHolder> bind(String user, byte[] token, Duration timeToLive) {
        return offer(RoomKeys.tokenOf(user), token, timeToLive);
    }

    @Override
    public CompletionStage<NameHolder> keep(String user, byte[] token, Duration timeToLive) {
        return hold(RedisScript.KEEP, RoomKeys.tokenOf(user), token, timeToLive);
    }

    private CompletionStage<NameHolder> offer(String key, byte[] holder, Duration timeToLive) {
        return hold(RedisScript.OFFER, key, holder, timeToLive);
    }

    private CompletionStage<NameHolder> hold(RedisScript script, String key, byte[] holder, Duration timeToLive) {
        return script.bytes(redis, new String[] {key}, holder, LogFields.bytes(timeToLive.toMillis()))
            .thenApply(present -> present == null ? NameHolder.NOBODY
                : Arrays.equals(present, holder) ? NameHolder.SAME : NameHolder.ANOTHER);
    }

    @Override
    public CompletionStage<RoomPosition> enter(String room, String user, RoomPosition after, Duration timeToLive) {
        return RedisScript.ENTER.text(redis, new String[] {RoomKeys.entered(room, user)}, LogFields.bytes(after.toString()),
            LogFields.bytes(timeToLive.toMillis())).thenApply(RoomPosition::parse);
    }

    @Override
    public CompletionStage<@Nullable RoomPosition> entered(String room, String user) {
        return redis.get(RoomKeys.entered(room, user))
            .<@Nullable RoomPosition>thenApply(since -> since == null ? null : RoomPosition.parse(LogFields.text(since)));
    }

    @Override
    public void close() {
        run(reader::close);
        executor.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
        connections.close();
    }

    private void run(Runnable action) {
        try {
            executor.execute(action);
        } catch (RejectedExecutionException closed) {
            // Whoever ends a subscription after the backplane has nothing to end.
        }
    }
}

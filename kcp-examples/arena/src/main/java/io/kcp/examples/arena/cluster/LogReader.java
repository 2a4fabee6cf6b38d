package io.kcp.examples.arena.cluster;

import io.lettuce.core.StreamMessage;
import io.lettuce.core.XAddArgs;
import io.lettuce.core.XReadArgs;
import io.lettuce.core.XReadArgs.StreamOffset;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Reads the logs of all rooms that somebody here listens to with one command that waits, on a connection of its own. It reads one
 * log more, in which nobody but this writes: an entry there wakes the command when a room is added, and none is missed however
 * the two cross. Lives on the thread of its backplane.
 */
final class LogReader {

    /** How long one command waits; it is given up for lost much later. */
    static final Duration BLOCK = Duration.ofSeconds(2);

    private static final InternalLogger LOGGER = InternalLoggerFactory.getInstance(LogReader.class);
    private static final int ENTRIES_PER_ROOM = 512;
    private static final long RETRY_MS = 200;
    private static final long WAKE_KEPT_SECONDS = 60;

    private final RedisAsyncCommands<String, byte[]> waiting;
    private final RedisAsyncCommands<String, byte[]> others;
    private final String wakeKey;
    private final EventExecutor executor;
    private final Map<String, RoomFeed> feeds = new ConcurrentHashMap<>();
    private String wakePosition = "0-0";
    private boolean reading;
    private boolean closed;

    LogReader(RedisAsyncCommands<String, byte[]> waiting, RedisAsyncCommands<String, byte[]> others, String wakeKey,
        EventExecutor executor) {
        this.waiting = waiting;
        this.others = others;
        this.wakeKey = wakeKey;
        this.executor = executor;
    }

    /** Finds the feed of a room that somebody listens to; from any thread. */
    @Nullable RoomFeed feed(String room) {
        return feeds.get(RoomKeys.log(room));
    }

    void add(RoomFeed feed) {
        feeds.put(RoomKeys.log(feed.room()), feed);
        if (reading) {
            others.xadd(wakeKey, XAddArgs.Builder.maxlen(1), Map.of("wake", new byte[0]));
            others.expire(wakeKey, WAKE_KEPT_SECONDS);
        } else {
            read();
        }
    }

    void remove(RoomFeed feed) {
        feeds.remove(RoomKeys.log(feed.room()), feed);
    }

    void close() {
        closed = true;
    }

    private void read() {
        reading = !closed && !feeds.isEmpty();
        if (!reading) {
            return;
        }
        Map<String, RoomFeed> asked = Map.copyOf(feeds);
        waiting.xread(XReadArgs.Builder.block(BLOCK).count(ENTRIES_PER_ROOM), offsets(asked))
            .whenCompleteAsync((messages, failure) -> {
                if (failure != null) {
                    onFailure(failure);
                    return;
                }
                messages.forEach(message -> onMessage(asked, message));
                read();
            }, executor);
    }

    private void onFailure(Throwable failure) {
        if (!closed) {
            LOGGER.warn("the logs of {} rooms could not be read; trying again", feeds.size(), failure);
            executor.schedule(this::read, RETRY_MS, TimeUnit.MILLISECONDS);
        }
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    private StreamOffset<String>[] offsets(Map<String, RoomFeed> asked) {
        StreamOffset<String>[] offsets = new StreamOffset[asked.size() + 1];
        int count = 0;
        offsets[count++] = StreamOffset.from(wakeKey, wakePosition);
        for (Map.Entry<String, RoomFeed> entry : asked.entrySet()) {
            offsets[count++] = StreamOffset.from(entry.getKey(), entry.getValue().last().toString());
        }
        return offsets;
    }

    private void onMessage(Map<String, RoomFeed> asked, StreamMessage<String, byte[]> message) {
        if (message.getStream().equals(wakeKey)) {
            wakePosition = message.getId();
            return;
        }
        RoomFeed feed = feeds.get(message.getStream());
        // One that was left and entered again meanwhile may begin elsewhere.
        if (feed != null && feed == asked.get(message.getStream())) {
            feed.onEntry(LogFields.entry(message));
        }
    }
}

package io.kcp.netty.smux;

import io.netty.util.collection.IntObjectHashMap;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * Maps stream ids to open streams. A random permutation of the ids prevents peers from choosing ids that collide in the hash table.
 *
 * @param <S> the type of the streams
 */
final class StreamTable<S> {

    private static final int HALF = 16;

    private final int seed = ThreadLocalRandom.current().nextInt();
    private final int multiplier = ThreadLocalRandom.current().nextInt() | 1;
    private final IntObjectHashMap<S> streams = new IntObjectHashMap<>();

    int size() {
        return streams.size();
    }

    @Nullable S get(int streamId) {
        return streams.get(permute(streamId));
    }

    void put(int streamId, S stream) {
        streams.put(permute(streamId), stream);
    }

    void remove(int streamId, Object stream) {
        int key = permute(streamId);
        if (streams.get(key) == stream) {
            streams.remove(key);
        }
    }

    /** Returns a view of the open streams. The view must not be used after a stream was added or removed. */
    Iterable<S> all() {
        return streams.values();
    }

    /** Returns the streams that are open now. */
    List<S> snapshot() {
        return List.copyOf(streams.values());
    }

    private int permute(int streamId) {
        int mixed = (streamId ^ seed) * multiplier;
        mixed ^= mixed >>> HALF;
        mixed *= multiplier;
        return mixed ^ mixed >>> HALF;
    }
}

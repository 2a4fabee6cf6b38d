package io.kcp.netty.internal.admission;

import org.jspecify.annotations.Nullable;

/**
 * Remembers 64-bit hashes for one to two periods, in two Bloom filters that are used alternately. This class is not thread-safe. It
 * allocates its filters with the first hash.
 */
final class RecentHashes {

    private static final int PROBES = 4;

    private final int bits;
    private int periodMs;
    private @Nullable BloomFilter current;
    private @Nullable BloomFilter previous;
    private long startedAtMs;

    /**
     * Creates an empty object.
     *
     * @param bits     the size of each filter in bits, a power of two
     * @param periodMs the length of a period in milliseconds
     */
    RecentHashes(int bits, int periodMs) {
        this.bits = bits;
        this.periodMs = periodMs;
    }

    int periodMs() {
        return periodMs;
    }

    /** Changes the length of the current period and of all later ones. */
    void periodMs(int ms) {
        periodMs = ms;
    }

    /** Returns {@code true} if the next access begins a new period. */
    boolean isPeriodOver(long nowMs) {
        return current != null && nowMs - startedAtMs >= periodMs;
    }

    void add(long hash, long nowMs) {
        BloomFilter recent = recent(nowMs);
        if (recent == null) {
            previous = new BloomFilter(bits, PROBES);
            recent = new BloomFilter(bits, PROBES);
            current = recent;
            startedAtMs = nowMs;
        }
        recent.add(hash);
    }

    /** Returns {@code true} if a hash was added recently, and with a small probability also if it was not. */
    boolean contains(long hash, long nowMs) {
        BloomFilter recent = recent(nowMs);
        BloomFilter older = previous;
        return recent != null && (recent.contains(hash) || older != null && older.contains(hash));
    }

    private @Nullable BloomFilter recent(long nowMs) {
        BloomFilter recent = current;
        BloomFilter older = previous;
        if (older == null || recent == null || !isPeriodOver(nowMs)) {
            return recent;
        }
        older.clear();
        if (nowMs - startedAtMs >= 2L * periodMs) {
            recent.clear();
        }
        previous = recent;
        current = older;
        startedAtMs = nowMs;
        return older;
    }
}

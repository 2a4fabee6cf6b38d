package io.kcp.netty.internal.admission;

import java.util.concurrent.atomic.AtomicLongArray;

/** A Bloom filter for 64-bit hashes. This class is thread-safe, except for {@link #clear}. */
final class BloomFilter {

    private final AtomicLongArray words;
    private final int mask;
    private final int probes;

    /**
     * Creates an empty filter.
     *
     * @param bits   the size in bits, a power of two
     * @param probes the number of bits that are set for each hash
     */
    BloomFilter(int bits, int probes) {
        words = new AtomicLongArray(bits >>> 6);
        mask = bits - 1;
        this.probes = probes;
    }

    /** Returns {@code true} if a hash was added, and with a small probability also if it was not. */
    boolean contains(long hash) {
        int step = step(hash);
        int bit = (int) hash;
        for (int i = 0; i < probes; i++, bit += step) {
            if ((words.getAcquire((bit & mask) >>> 6) & 1L << bit) == 0) {
                return false;
            }
        }
        return true;
    }

    /** Adds a hash. */
    void add(long hash) {
        int step = step(hash);
        int bit = (int) hash;
        for (int i = 0; i < probes; i++, bit += step) {
            int index = (bit & mask) >>> 6;
            long one = 1L << bit;
            long word = words.getAcquire(index);
            while ((word & one) == 0 && !words.weakCompareAndSetRelease(index, word, word | one)) {
                word = words.getAcquire(index);
            }
        }
    }

    /** Removes all hashes. Must not be called while another thread uses the filter. */
    void clear() {
        for (int i = 0; i < words.length(); i++) {
            words.setPlain(i, 0);
        }
    }

    /** Returns the distance between the bit positions of one hash. The distance is odd, so that all positions differ. */
    private static int step(long hash) {
        return (int) (hash >>> 32) | 1;
    }
}

package io.kcp.core.fec;

import org.jspecify.annotations.Nullable;

/** Recycles slabs, which are {@code long[]} arrays that store one shard each. Not thread-safe. */
final class SlabPool {

    /**
     * Length of a slab (shard buffer) in words. It is enough for the longest shard, and together with the array's header it is a multiple
     * of 64 bytes. Slabs that are allocated in sequence therefore have the same offset in their cache lines, so a vector load that stays
     * within a cache line in one slab does so in all of them. Without this alignment, coding takes a third longer.
     */
    static final int SLAB_WORDS = 190;

    private static final int SLABS_ALLOCATED_TOGETHER = 16;

    private final long[] @Nullable [] free;
    private int kept;

    SlabPool(int maxSlabsKept) {
        if (maxSlabsKept < SLABS_ALLOCATED_TOGETHER) {
            throw new IllegalArgumentException(
                "maxSlabsKept: " + maxSlabsKept + " (expected: at least " + SLABS_ALLOCATED_TOGETHER + ')');
        }
        free = new long[maxSlabsKept][];
    }

    /** Returns an unused slab, whose content is undefined. */
    long[] acquire() {
        if (kept == 0) {
            while (kept < SLABS_ALLOCATED_TOGETHER) {
                free[kept++] = new long[SLAB_WORDS];
            }
        }
        long[] slab = free[--kept];
        free[kept] = null;
        assert slab != null;
        return slab;
    }

    void release(long[] slab) {
        if (kept < free.length) {
            free[kept++] = slab;
        }
    }

    /** Returns the number of unused slabs in the pool. */
    int kept() {
        return kept;
    }

    static int wordsOf(int bytes) {
        return (bytes + Long.BYTES - 1) / Long.BYTES;
    }

    /** Fills a slab with zeros from the end of its shard to the length of the longest shard of its group. */
    static void pad(long[] slab, int shardBytes, int longestBytes) {
        int from = wordsOf(shardBytes);
        int to = wordsOf(longestBytes);
        for (int i = from; i < to; i++) {
            slab[i] = 0;
        }
    }
}

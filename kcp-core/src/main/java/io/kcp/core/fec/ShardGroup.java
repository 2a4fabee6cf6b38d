package io.kcp.core.fec;

import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The shards of one group that have arrived. */
final class ShardGroup {

    /** What every group may cost: some tenth of a millisecond. */
    private static final long MIN_WORK = 1 << 18;

    private final int dataShards;
    private final long[] @Nullable [] slabs;
    private final int[] lengths;
    /** Neighbours in the order in which groups were stored to; {@link ShardPool} has it. */
    @Nullable ShardGroup older;
    @Nullable ShardGroup newer;
    int storedAtMs;
    private int id;
    private int dataCount;
    private int parityCount;
    private int longest;
    private int attempts;
    private long work;
    private boolean disputed;
    private boolean countedComplete;

    ShardGroup(FecShape shape) {
        dataShards = shape.dataShards();
        slabs = new long[shape.totalShards()][];
        lengths = new int[shape.totalShards()];
    }

    void begin(int groupId) {
        id = groupId;
    }

    int id() {
        return id;
    }

    /** Whether nothing is stored: the object may be used for any group. */
    boolean isFree() {
        return dataCount + parityCount == 0;
    }

    boolean hasOnlyParity() {
        return dataCount == 0;
    }

    boolean contains(int position) {
        return slabs[position] != null;
    }

    boolean hasAllData() {
        return dataCount == dataShards;
    }

    /** Whether there is enough to compute what is missing. */
    boolean isSufficient() {
        return dataCount + parityCount >= dataShards;
    }

    /** Whether it would still be enough without one of the shards. */
    boolean hasSurplus() {
        return dataCount + parityCount > dataShards;
    }

    /** Length of the longest shard in bytes, which is that of the coded ones. */
    int longest() {
        return longest;
    }

    int size() {
        return slabs.length;
    }

    /** Counts attempts to compute what is missing, which forged shards may make many. */
    int nextAttempt() {
        return attempts++;
    }

    /** Adds what an attempt cost, as {@link Reconstruction#takeWork} counts it. */
    void charge(long done) {
        work += done;
    }

    /** Whether no more is to be computed for this group: twice as much is enough as one with the most loss takes. */
    boolean isSpent() {
        long most = (long) Math.min(dataShards, slabs.length - dataShards) * dataShards * Reconstruction.workOfRow(longest);
        return work >= Math.max(MIN_WORK, 2L * most);
    }

    /** Notes that a stored shard contradicts what others say. */
    void dispute() {
        disputed = true;
    }

    boolean isDisputed() {
        return disputed;
    }

    /** Returns whether this is the first time that it is asked. */
    boolean countOnceComplete() {
        boolean first = !countedComplete;
        countedComplete = true;
        return first;
    }

    long[] @Nullable [] slabs() {
        return slabs;
    }

    void store(int position, long[] slab, int shardBytes) {
        slabs[position] = slab;
        lengths[position] = shardBytes;
        longest = Math.max(longest, shardBytes);
        if (position < dataShards) {
            dataCount++;
        } else {
            parityCount++;
        }
    }

    /** Makes a stored shard as long as the longest, with zeros. */
    void pad(int position) {
        ShardPool.pad(Objects.requireNonNull(slabs[position]), lengths[position], longest);
    }

    void clear(ShardPool pool) {
        if (isFree()) {
            return;
        }
        pool.onCleared(this, dataCount + parityCount);
        for (long[] slab : slabs) {
            if (slab != null) {
                pool.release(slab);
            }
        }
        Arrays.fill(slabs, null);
        dataCount = 0;
        parityCount = 0;
        longest = 0;
        attempts = 0;
        work = 0;
        disputed = false;
        countedComplete = false;
    }
}

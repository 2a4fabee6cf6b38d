package io.kcp.core.fec;

import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Stores the received shards of one group. */
final class ShardGroup {

    /**
     * Decoding cost that is permitted for every group, as a number of multiply-and-add operations on words. This work takes a few tenths of
     * a millisecond.
     */
    private static final long MIN_WORK = 1 << 18;

    private final int dataShards;
    private final long[] @Nullable [] slabs;
    private final int[] lengths;
    /** Next older group in the list of {@link HeldGroups}, which is ordered by the time of the latest shard. */
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

    /** Returns {@code true} if no shard is stored, in which case this object can be reused for any group. */
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

    /** Returns {@code true} if enough shards have arrived to recover the missing data. */
    boolean isSufficient() {
        return dataCount + parityCount >= dataShards;
    }

    /** Returns {@code true} if more shards have arrived than recovery needs. */
    boolean hasSurplus() {
        return dataCount + parityCount > dataShards;
    }

    /** Returns the length in bytes of the longest shard, which is also the length of all parity shards. */
    int longest() {
        return longest;
    }

    int size() {
        return slabs.length;
    }

    /** Counts an attempt to recover the missing data and returns the number of earlier attempts. Forged shards may cause many attempts. */
    int nextAttempt() {
        return attempts++;
    }

    /** Adds the decoding cost of an attempt, as returned by {@code Reconstruction.takeWork}. */
    void charge(long done) {
        work += done;
    }

    /**
     * Returns {@code true} if the group has used up its permitted decoding cost. The permitted cost is twice the cost of recovering the
     * maximum number of losses, but at least {@link #MIN_WORK}.
     *
     * @param coefficientWork the cost of one coefficient for the longest shard
     */
    boolean isSpent(long coefficientWork) {
        long most = (long) Math.min(dataShards, slabs.length - dataShards) * dataShards * coefficientWork;
        return work >= Math.max(MIN_WORK, 2L * most);
    }

    /** Records that a stored shard of the group contradicts other shards. */
    void dispute() {
        disputed = true;
    }

    boolean isDisputed() {
        return disputed;
    }

    /** Returns {@code true} on the first call only, so that a complete group is counted once. */
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

    /** Pads a stored shard with zeros to the length of the longest shard. */
    void pad(int position) {
        SlabPool.pad(Objects.requireNonNull(slabs[position]), lengths[position], longest);
    }

    void clear(ShardPool pool) {
        if (isFree()) {
            return;
        }
        pool.groups().onCleared(this, dataCount + parityCount);
        for (long[] slab : slabs) {
            if (slab != null) {
                pool.slabs().release(slab);
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

package io.kcp.core.fec;

import org.jspecify.annotations.Nullable;

/**
 * Limits the memory that the incomplete groups of all sessions of a thread hold. The memory is counted in slabs, each of which stores one
 * shard. Groups are listed in the order of their latest shard. When a shard is stored, groups that have received no shard for
 * {@value #MAX_AGE_MS} ms are discarded. If the limit is reached, groups at the start of the list are discarded as well.
 */
final class HeldGroups {

    static final int MAX_AGE_MS = 10_000;

    private final ShardPool pool;
    private final int maxSlabs;
    private int slabs;
    private @Nullable ShardGroup oldest;
    private @Nullable ShardGroup newest;

    HeldGroups(ShardPool pool, int maxSlabs) {
        this.pool = pool;
        this.maxSlabs = maxSlabs;
    }

    /** Returns the number of slabs (shard buffers) that all groups hold. */
    int slabs() {
        return slabs;
    }

    /**
     * Counts one more slab (shard buffer) of a group, and discards other groups that are too old or exceed the limit. To be called before
     * the group stores the slab.
     */
    void onStored(ShardGroup group, int nowMs) {
        unlink(group);
        for (ShardGroup first = oldest; first != null && (slabs >= maxSlabs || nowMs - first.storedAtMs > MAX_AGE_MS);
            first = oldest) {
            first.clear(pool);
        }
        slabs++;
        group.storedAtMs = nowMs;
        group.older = newest;
        if (newest == null) {
            oldest = group;
        } else {
            newest.newer = group;
        }
        newest = group;
    }

    /** Called when a group has released its slabs. */
    void onCleared(ShardGroup group, int releasedSlabs) {
        slabs -= releasedSlabs;
        unlink(group);
    }

    private void unlink(ShardGroup group) {
        ShardGroup before = group.older;
        ShardGroup after = group.newer;
        if (before != null) {
            before.newer = after;
        } else if (oldest == group) {
            oldest = after;
        }
        if (after != null) {
            after.older = before;
        } else if (newest == group) {
            newest = before;
        }
        group.older = null;
        group.newer = null;
    }
}

package io.kcp.core.fec;

import org.jspecify.annotations.Nullable;

/** Stores up to {@value FecDecoder#MAX_GROUPS} incomplete groups of one decoder, and records which groups need no more shards. */
final class GroupTable {

    private static final int DONE_MARKS = 32;

    private final GroupWindow window;
    private final ShardPool pool;
    private final int[] doneGroups = new int[DONE_MARKS];
    private int doneMarks;
    private @Nullable ShardGroup[] groups = new ShardGroup[FecDecoder.MAX_GROUPS];

    GroupTable(GroupWindow window, ShardPool pool) {
        this.window = window;
        this.pool = pool;
    }

    /** Returns the group with this number, or null if none of its shards is stored. */
    @Nullable ShardGroup find(int id) {
        for (ShardGroup group : groups) {
            if (group != null && !group.isFree() && group.id() == id) {
                return group;
            }
        }
        return null;
    }

    /** Returns the group at an index of the table if it contains shards and is close to the newest group, otherwise null. */
    @Nullable ShardGroup active(int index) {
        ShardGroup group = groups[index];
        return group == null || group.isFree() || isGone(group.id()) ? null : group;
    }

    boolean contains(int id, int position) {
        ShardGroup group = find(id);
        return group != null && group.contains(position);
    }

    /** Returns {@code true} if the group with this number needs no more shards. */
    boolean isDone(int id) {
        return (doneMarks >>> id & 1) != 0 && doneGroups[id & DONE_MARKS - 1] == id;
    }

    /** Releases a group and records that it needs no more shards. */
    void close(ShardGroup group) {
        doneGroups[group.id() & DONE_MARKS - 1] = group.id();
        doneMarks |= 1 << group.id();
        group.clear(pool);
    }

    /**
     * Returns the group in which a shard is to be stored. If the table is full, a new group replaces the least useful one.
     *
     * @param isData {@code true} if the shard is data. Parity ahead of all data may be forged, so it does not replace a group that contains
     *               data
     * @return the group, or null if the shard is not to be stored
     */
    @Nullable ShardGroup open(FecShape shape, int id, boolean isData) {
        ShardGroup free = null;
        ShardGroup worst = null;
        for (int i = 0; i < groups.length; i++) {
            ShardGroup group = groups[i];
            if (group == null) {
                group = new ShardGroup(shape);
                groups[i] = group;
            }
            if (!group.isFree() && isGone(group.id())) {
                group.clear(pool);
            }
            if (group.isFree()) {
                free = group;
            } else if (group.id() == id) {
                return group;
            } else if (worst == null || usefulness(group) < usefulness(worst)) {
                worst = group;
            }
        }
        if (isGone(id)) {
            return null;
        }
        if (free == null) {
            if (worst == null || !isData && window.distance(id) > 0 && !worst.hasOnlyParity()) {
                return null;
            }
            worst.clear(pool);
            free = worst;
        }
        free.begin(id);
        return free;
    }

    private boolean isGone(int id) {
        int distance = window.distance(id);
        return distance < -GroupWindow.REACH_BACK || distance > GroupWindow.NEAR;
    }

    /**
     * Ranks a group by its usefulness for recovery, where a higher number means more useful. Groups ahead of the newest group contain only
     * parity and rank lowest, followed by the oldest groups.
     */
    private int usefulness(ShardGroup group) {
        int distance = window.distance(group.id());
        return distance > 0 ? -GroupWindow.NEAR - distance : distance;
    }

    /** Returns the number of groups that contain shards. */
    int held() {
        int held = 0;
        for (ShardGroup group : groups) {
            held += group == null || group.isFree() ? 0 : 1;
        }
        return held;
    }

    /** Returns {@code true} if {@link #trim} would free memory. */
    boolean holdsMemory() {
        for (ShardGroup group : groups) {
            if (group != null) {
                return true;
            }
        }
        return false;
    }

    /** Discards all groups and the record of which groups need no more shards. */
    void reset() {
        for (ShardGroup group : groups) {
            if (group != null) {
                group.clear(pool);
            }
        }
        doneMarks = 0;
    }

    /** Frees all groups. The numbers of the groups that need no more shards are kept. */
    void trim() {
        for (int i = 0; i < groups.length; i++) {
            ShardGroup group = groups[i];
            if (group != null) {
                group.clear(pool);
                groups[i] = null;
            }
        }
    }
}

package io.kcp.core.fec;

/**
 * Tracks the newest group of the peer. Only data shards of the session move it, because parity does not name its session: forged parity
 * must not make genuine groups seem old.
 */
final class GroupWindow {

    /** Groups up to this many before the newest one are stored. */
    static final int REACH_BACK = 3;
    /** A single shard up to this many groups from the newest one is accepted. */
    static final int NEAR = 8;

    /** Data up to this many groups before the newest one is usually just reordered. */
    static final int LATE = 64;

    /** Data shards from the same distant groups after which the window jumps there. */
    private static final int JUMP_SHARDS = 3;
    /** The same for groups shortly before the newest. Ascending order is required, which late shards of a reordering path lack. */
    private static final int STEP_BACK_SHARDS = 12;
    /** The same distance in seqids, for an unknown group size. */
    private static final int NEAR_SEQIDS = NEAR * FecShape.MAX_SHARDS;

    private int total;
    private int groups;
    private boolean started;
    private int newest;
    private int newestSeqid;

    // Consecutive data shards of distant groups that are near each other.
    private int jumpShards;
    private int jumpGroup;
    private int lastJumpSeqid;
    private int previousJumpSeqid;

    // Consecutive data shards of groups shortly before the newest one.
    private int backShards;
    private int backGroup;
    private int lastBackSeqid;

    /** Sets the group size, 0 if it is unknown, and recomputes the newest group. */
    void shape(int totalShards) {
        total = totalShards;
        resetJump();
        if (total > 0) {
            groups = Integer.divideUnsigned(-1, total);
            newest = Integer.compareUnsigned(newestSeqid, groups * total) < 0 ? group(newestSeqid) : 0;
        }
    }

    int newest() {
        return newest;
    }

    int group(int seqid) {
        return Integer.divideUnsigned(seqid, total);
    }

    /** Returns the distance from the newest group to another, in the shorter direction; negative if the other is before. */
    int distance(int group) {
        return between(newest, group);
    }

    boolean isNear(int seqid) {
        if (!started) {
            return false;
        }
        if (total == 0) {
            return isNearInSeqids(seqid);
        }
        return Integer.compareUnsigned(seqid, groups * total) < 0 && Math.abs(distance(group(seqid))) <= NEAR;
    }

    /** Returns {@code true} if a shard is near the newest one, counted in shards, for a group size that is not verified. */
    boolean isNearInSeqids(int seqid) {
        return started && Math.abs((long) (seqid - newestSeqid)) <= NEAR_SEQIDS;
    }

    /** The result of {@link #onData}. */
    enum Verdict {
        /** The shard is near the newest group. */
        NEAR,
        /** The shard is far from the newest group, and too few others are there. */
        FAR,
        /** The window has jumped to the shard, because others are there too. All stored groups are obsolete. */
        JUMPED
    }

    /** Processes the seqid of a data shard of the session. */
    Verdict onData(int seqid) {
        if (total == 0) {
            started = true;
            newestSeqid = seqid;
            return Verdict.NEAR;
        }
        int group = group(seqid);
        int distance = started ? distance(group) : 0;
        if (started && (distance < -REACH_BACK || distance > NEAR)) {
            if (distance < -REACH_BACK && distance >= -LATE ? !isStepBack(group, seqid) : !isJump(group, seqid)) {
                return Verdict.FAR;
            }
            moveTo(group, seqid);
            return Verdict.JUMPED;
        }
        resetJump();
        if (!started || distance > 0) {
            moveTo(group, seqid);
        }
        return Verdict.NEAR;
    }

    /** Notes parity near the newest group, which shows that the sender has not jumped. */
    void onParity() {
        resetJump();
    }

    /** Moves to a group whose data was recovered. */
    void onRecovered(int group) {
        if (distance(group) > 0) {
            moveTo(group, group * total);
        }
    }

    private void moveTo(int group, int seqid) {
        started = true;
        newest = group;
        newestSeqid = seqid;
        resetJump();
    }

    private boolean isJump(int group, int seqid) {
        if (jumpShards == 0 || Math.abs(between(jumpGroup, group)) > NEAR) {
            jumpShards = 1;
            previousJumpSeqid = seqid;
        } else if (seqid != lastJumpSeqid && seqid != previousJumpSeqid) {
            jumpShards++;
            previousJumpSeqid = lastJumpSeqid;
        }
        jumpGroup = group;
        lastJumpSeqid = seqid;
        return jumpShards >= JUMP_SHARDS;
    }

    private boolean isStepBack(int group, int seqid) {
        int step = between(backGroup, group);
        if (backShards == 0 || step < 0 || step > NEAR || seqid - lastBackSeqid < 0) {
            backShards = 1;
        } else if (seqid != lastBackSeqid) {
            backShards++;
        }
        backGroup = group;
        lastBackSeqid = seqid;
        return backShards >= STEP_BACK_SHARDS;
    }

    private void resetJump() {
        jumpShards = 0;
        backShards = 0;
    }

    private int between(int from, int to) {
        long ahead = Math.floorMod((to & 0xFFFFFFFFL) - (from & 0xFFFFFFFFL), groups & 0xFFFFFFFFL);
        long behind = (groups & 0xFFFFFFFFL) - ahead;
        // A distance beyond the range of an int only has to be large.
        return ahead <= behind ? (int) Math.min(ahead, Integer.MAX_VALUE) : (int) -Math.min(behind, Integer.MAX_VALUE);
    }
}

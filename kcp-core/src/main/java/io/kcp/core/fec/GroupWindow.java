package io.kcp.core.fec;

/**
 * Tracks the newest group that the peer has sent. Only data shards of the session move the window to a newer group. Parity does not,
 * because it contains no session id, and forged parity must not make genuine groups appear old.
 */
final class GroupWindow {

    /** Number of older groups that are stored in addition to the newest one. */
    static final int REACH_BACK = 3;
    /** Maximum distance, in groups, from the newest group at which a single shard is accepted. */
    static final int NEAR = 8;

    /** Maximum number of groups behind the newest one at which data is considered late and does not indicate that the sender has jumped. */
    static final int LATE = 64;

    /** Number of data shards from one distant range of groups after which the window jumps to that range. */
    private static final int JUMP_SHARDS = 3;
    /**
     * Number of data shards from slightly older groups after which the window moves back to these groups. They must arrive in ascending
     * order, unlike the late shards of a path that reorders datagrams.
     */
    private static final int STEP_BACK_SHARDS = 12;
    /** Maximum distance, in seqids, from the newest shard at which a shard is accepted while the group size is unknown. */
    private static final int NEAR_SEQIDS = NEAR * FecShape.MAX_SHARDS;

    private int total;
    private int groups;
    private boolean started;
    private int newest;
    private int newestSeqid;

    // The next four fields track consecutive data shards from a distant range of groups to which the window may jump.
    private int jumpShards;
    private int jumpGroup;
    private int lastJumpSeqid;
    private int previousJumpSeqid;

    // The next three fields track consecutive data shards from slightly older groups to which the window may move back.
    private int backShards;
    private int backGroup;
    private int lastBackSeqid;

    /** Sets the group size, or 0 if it is unknown, and recomputes the number of the newest group. */
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

    /** Returns the distance from the newest group to another group in the shorter direction. It is negative if the other group is older. */
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

    /** Returns {@code true} if the seqid of a shard is close to that of the newest shard. Used while the group size is not verified. */
    boolean isNearInSeqids(int seqid) {
        return started && Math.abs((long) (seqid - newestSeqid)) <= NEAR_SEQIDS;
    }

    /** The result of {@link #onData}. */
    enum Verdict {
        /** The shard is close to the newest group. */
        NEAR,
        /** The shard is far from the newest group, and too few shards from neighboring groups have arrived to move the window. */
        FAR,
        /**
         * The window has moved to the group of the shard, because several shards from neighboring groups have arrived. All stored groups
         * are obsolete.
         */
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

    /** Records the arrival of parity close to the newest group, which shows that the sender has not jumped. */
    void onParity() {
        resetJump();
    }

    /** Makes a group whose data was recovered the newest group, unless a newer group is known. */
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
        // Limits the distance to the range of an int, because callers only need to know that the distance is large.
        return ahead <= behind ? (int) Math.min(ahead, Integer.MAX_VALUE) : (int) -Math.min(behind, Integer.MAX_VALUE);
    }
}

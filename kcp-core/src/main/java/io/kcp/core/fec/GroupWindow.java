package io.kcp.core.fec;

/**
 * Where the peer's sender is. Only data shards of the session move it: parity proves nothing of where it comes from, so
 * whoever forges it cannot make honest groups look old.
 */
final class GroupWindow {

    /** A group is of interest until the newest is more than this many after it. */
    static final int REACH_BACK = 3;
    /** A single shard is believed this many groups around the newest. */
    static final int NEAR = 8;

    /** Data of up to so many groups before the newest has mostly just been overtaken. */
    static final int LATE = 64;

    private static final int WITNESSES = 3;
    /** In ascending order: late data of a path that reorders comes in any, and in small numbers. */
    private static final int WITNESSES_OF_A_STEP_BACK = 12;
    /** Around the newest seqid while the size of a group is unknown. */
    private static final int NEAR_SEQIDS = NEAR * FecShape.MAX_SHARDS;

    private int total;
    private int groups;
    private boolean heard;
    private int newest;
    private int newestSeqid;

    // Data shards that agree that the sender is elsewhere, with nothing from near the newest group between them.
    private int witnesses;
    private int witnessGroup;
    private int lastWitness;
    private int lastButOneWitness;

    // The same for not so far back.
    private int backWitnesses;
    private int backGroup;
    private int lastBack;

    /** Tells the size of a group, and looks at where the sender is in that light; 0 while it is unknown. */
    void shape(int totalShards) {
        total = totalShards;
        forgetWitnesses();
        if (total > 0) {
            groups = Integer.divideUnsigned(-1, total);
            newest = Integer.compareUnsigned(newestSeqid, groups * total) < 0 ? group(newestSeqid) : 0;
        }
    }

    boolean heard() {
        return heard;
    }

    int newest() {
        return newest;
    }

    int group(int seqid) {
        return Integer.divideUnsigned(seqid, total);
    }

    /** Returns how many groups one is after the newest, the shorter way round; negative when before. */
    int distance(int group) {
        return between(newest, group);
    }

    boolean isNear(int seqid) {
        if (!heard) {
            return false;
        }
        if (total == 0) {
            return isNearInSeqids(seqid);
        }
        return Integer.compareUnsigned(seqid, groups * total) < 0 && Math.abs(distance(group(seqid))) <= NEAR;
    }

    /** Tells whether a shard is around the newest, counted in shards: as long as the size of a group is a guess. */
    boolean isNearInSeqids(int seqid) {
        return heard && Math.abs((long) (seqid - newestSeqid)) <= NEAR_SEQIDS;
    }

    /** What a data shard says of where the sender is. */
    enum Verdict {
        /** Where it is expected. */
        NEAR,
        /** Far away, and nothing else says so. */
        FAR,
        /** Far away, and others said so: what was known of groups no longer holds. */
        JUMPED
    }

    /** Takes notice of a data shard of the session. */
    Verdict onData(int seqid) {
        if (total == 0) {
            heard = true;
            newestSeqid = seqid;
            return Verdict.NEAR;
        }
        int group = group(seqid);
        int distance = heard ? distance(group) : 0;
        if (heard && (distance < -REACH_BACK || distance > NEAR)) {
            if (distance < -REACH_BACK && distance >= -LATE ? !isStepBack(group, seqid) : !isConfirmed(group, seqid)) {
                return Verdict.FAR;
            }
            moveTo(group, seqid);
            return Verdict.JUMPED;
        }
        forgetWitnesses();
        if (!heard || distance > 0) {
            moveTo(group, seqid);
        }
        return Verdict.NEAR;
    }

    /** Takes notice of parity that was near: whoever sends data elsewhere does not do so alone. */
    void onParity() {
        forgetWitnesses();
    }

    /** Follows a group whose data was computed and is sound. */
    void onRecovered(int group) {
        if (distance(group) > 0) {
            moveTo(group, group * total);
        }
    }

    private void moveTo(int group, int seqid) {
        heard = true;
        newest = group;
        newestSeqid = seqid;
        forgetWitnesses();
    }

    private boolean isConfirmed(int group, int seqid) {
        if (witnesses == 0 || Math.abs(between(witnessGroup, group)) > NEAR) {
            witnesses = 1;
            lastButOneWitness = seqid;
        } else if (seqid != lastWitness && seqid != lastButOneWitness) {
            witnesses++;
            lastButOneWitness = lastWitness;
        }
        witnessGroup = group;
        lastWitness = seqid;
        return witnesses >= WITNESSES;
    }

    private boolean isStepBack(int group, int seqid) {
        int step = between(backGroup, group);
        if (backWitnesses == 0 || step < 0 || step > NEAR || seqid - lastBack < 0) {
            backWitnesses = 1;
        } else if (seqid != lastBack) {
            backWitnesses++;
        }
        backGroup = group;
        lastBack = seqid;
        return backWitnesses >= WITNESSES_OF_A_STEP_BACK;
    }

    private void forgetWitnesses() {
        witnesses = 0;
        backWitnesses = 0;
    }

    private int between(int from, int to) {
        long ahead = Math.floorMod((to & 0xFFFFFFFFL) - (from & 0xFFFFFFFFL), groups & 0xFFFFFFFFL);
        long behind = (groups & 0xFFFFFFFFL) - ahead;
        // Further than an int holds is just far.
        return ahead <= behind ? (int) Math.min(ahead, Integer.MAX_VALUE) : (int) -Math.min(behind, Integer.MAX_VALUE);
    }
}

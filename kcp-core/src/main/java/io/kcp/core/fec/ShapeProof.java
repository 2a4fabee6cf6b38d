package io.kcp.core.fec;

/**
 * Whether the shape that groups are taken to have is that of the sender. It has to be shown: the code keeps what is equal in
 * all shards of a group, so a shard computed under a wrong shape has the right conversation, command and length, even a
 * likely number, and only its payload is garbage.
 *
 * <p>A group bears witness of the shape if its last data shard arrived as data and it has a shard more than needed, which
 * turns out to be what the others say: then it has as many data shards, and begins where it was thought to. What is recovered
 * of such a group is believed for that; of others, only once two groups have borne witness, as one says nothing of where the
 * next begins. Whatever speaks against the shape takes the proof back: a data shard where parity belongs, or parity in the
 * place of data that is then missing. Around such a shard only what bears witness is believed, proof or not.
 */
final class ShapeProof {

    private static final int SUSPECTS = 16;
    private static final int DOUBTFUL_GROUPS = 3;

    private final int[] suspectSeqids = new int[SUSPECTS];
    private int suspects;
    private int nextSuspect;
    private final boolean assured;
    private boolean given;
    private boolean wasGiven;
    private boolean witnessed;
    private int witness;

    /** Creates a proof that is assured, because somebody says so who knows, or has to be given. */
    ShapeProof(boolean assured) {
        this.assured = assured;
    }

    /** Begins anew with another shape. */
    void reset() {
        suspects = 0;
        nextSuspect = 0;
        wasGiven = false;
        takeBack();
    }

    boolean isGiven() {
        return assured || given;
    }

    /** Whether it has been given for this shape, though it may have been taken back. */
    boolean wasGiven() {
        return assured || wasGiven;
    }

    /** Notes a group that bears witness of the shape. */
    void add(int groupId) {
        given |= witnessed && witness != groupId;
        wasGiven |= given;
        witnessed = true;
        witness = groupId;
    }

    void takeBack() {
        given = false;
        witnessed = false;
    }

    /** Remembers a shard whose kind does not fit its place. */
    void suspect(int seqid, boolean isData) {
        suspectSeqids[nextSuspect] = seqid;
        nextSuspect = (nextSuspect + 1) % SUSPECTS;
        suspects = Math.min(suspects + 1, SUSPECTS);
        if (isData) {
            takeBack();
        }
    }

    /** Forgets parity that claimed the place of data which arrived: it was forged, and says nothing of the shape. */
    void acquit(int seqid) {
        for (int i = 0; i < suspects; i++) {
            if (suspectSeqids[i] == seqid) {
                suspects--;
                suspectSeqids[i] = suspectSeqids[suspects];
                nextSuspect = suspects;
            }
        }
    }

    /** Tells whether something speaks against a group: a shard of the wrong kind in it. */
    boolean isSuspect(int groupShards, int groupId) {
        return isSuspect(groupShards, groupId, 0);
    }

    /** Tells whether something speaks against a group or one next to it: the shape may be changing. */
    boolean isDoubtful(int groupShards, int groupId) {
        return !assured && isSuspect(groupShards, groupId, DOUBTFUL_GROUPS);
    }

    private boolean isSuspect(int groupShards, int groupId, int distance) {
        for (int i = 0; i < suspects; i++) {
            if (Math.abs((long) (Integer.divideUnsigned(suspectSeqids[i], groupShards) - groupId)) <= distance) {
                return true;
            }
        }
        return false;
    }
}

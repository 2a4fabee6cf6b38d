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
 * place of data that is then missing.
 */
final class ShapeProof {

    private static final int SUSPECTS = 16;

    private final int[] suspectSeqids = new int[SUSPECTS];
    private int suspects;
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
        suspectSeqids[suspects % SUSPECTS] = seqid;
        suspects = suspects + 1 == 2 * SUSPECTS ? SUSPECTS : suspects + 1;
        if (isData) {
            takeBack();
        }
    }

    /**
     * Tells whether something speaks against a group: a shard of the wrong kind, unless it claimed to be parity where sound
     * data arrived too.
     */
    boolean isSuspect(FecShape shape, int groupId, ShardGroup group) {
        for (int i = 0; i < Math.min(suspects, SUSPECTS); i++) {
            int seqid = suspectSeqids[i];
            if (Integer.divideUnsigned(seqid, shape.totalShards()) == groupId) {
                int position = Integer.remainderUnsigned(seqid, shape.totalShards());
                if (position >= shape.dataShards() || !group.contains(position)) {
                    return true;
                }
            }
        }
        return false;
    }
}

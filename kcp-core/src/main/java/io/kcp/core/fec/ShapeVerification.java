package io.kcp.core.fec;

/**
 * Verifies that a decoder assumes the same group shape as the sender. Recovered data alone does not reveal a wrong shape. The Reed–Solomon
 * code preserves bytes that are equal in all shards of a group, so a shard recovered with a wrong shape has the right conversation, command
 * and length and even a likely segment number, but its payload is garbage.
 *
 * <p>A group confirms the shape if its last data shard arrived as data, and a surplus shard, which recovery did not need, equals the value
 * computed from the other shards. In this case the group has the assumed number of data shards and starts at the assumed seqid, so its
 * recovered data is delivered. The shape is verified once two groups have confirmed it, because one group does not show where the next one
 * starts.
 *
 * <p>A shard contradicts the shape if it is data at the position of parity, or parity at the position of data that is missing. A
 * contradiction ends the verification. In the groups around such a shard, only data of confirming groups is delivered, even if the shape is
 * verified again.
 */
final class ShapeVerification {

    private static final int MAX_CONTRADICTIONS = 16;
    private static final int UNCERTAIN_GROUPS = 3;

    /** Seqids of the latest shards that contradict the assumed shape. */
    private final int[] contradictions = new int[MAX_CONTRADICTIONS];
    private int contradictionCount;
    private int nextContradiction;
    private ShapeTrust trust;
    private int confirmingGroup;

    /** Creates a verification that has no shape yet. If {@code fixed} is {@code true}, the shape is configured and always trusted. */
    ShapeVerification(boolean fixed) {
        trust = fixed ? ShapeTrust.FIXED : ShapeTrust.UNKNOWN;
    }

    /** Starts the verification of a newly adopted shape. */
    void onAdopted() {
        contradictionCount = 0;
        nextContradiction = 0;
        trust = trust.onAdopted();
    }

    ShapeTrust trust() {
        return trust;
    }

    boolean isVerified() {
        return trust.isVerified();
    }

    boolean isFixed() {
        return trust == ShapeTrust.FIXED;
    }

    void onConfirmed(int groupId) {
        trust = trust.onConfirmed(confirmingGroup != groupId);
        confirmingGroup = groupId;
    }

    void onContradicted() {
        trust = trust.onContradicted();
    }

    /** Records a shard whose type does not match its position. Parity contradicts the shape only if the data at its position is missing. */
    void onMisplaced(int seqid, boolean isData) {
        contradictions[nextContradiction] = seqid;
        nextContradiction = (nextContradiction + 1) % MAX_CONTRADICTIONS;
        contradictionCount = Math.min(contradictionCount + 1, MAX_CONTRADICTIONS);
        if (isData) {
            onContradicted();
        }
    }

    /** Discards a contradiction caused by a parity shard when data with the same seqid arrives, which shows that the parity was forged. */
    void onData(int seqid) {
        for (int i = 0; i < contradictionCount; i++) {
            if (contradictions[i] == seqid) {
                contradictionCount--;
                contradictions[i] = contradictions[contradictionCount];
                nextContradiction = contradictionCount;
            }
        }
    }

    /** Returns {@code true} if a shard of the group contradicts the assumed shape. */
    boolean isContradicted(FecShape shape, int groupId) {
        return isContradicted(shape, groupId, 0);
    }

    /**
     * Returns {@code true} if a shard of the group or of a neighboring group contradicts the shape, which may mean that the sender is
     * changing its shape.
     */
    boolean isUncertain(FecShape shape, int groupId) {
        return !isFixed() && isContradicted(shape, groupId, UNCERTAIN_GROUPS);
    }

    private boolean isContradicted(FecShape shape, int groupId, int distance) {
        for (int i = 0; i < contradictionCount; i++) {
            if (Math.abs((long) (Integer.divideUnsigned(contradictions[i], shape.totalShards()) - groupId)) <= distance) {
                return true;
            }
        }
        return false;
    }
}

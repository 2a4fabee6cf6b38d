package io.kcp.core.fec;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Finds out the shape of a sender's groups from which of its seqids are data and which parity. Groups begin at multiples of
 * their size n, so a seqid is data exactly if its remainder by n is below the number of data shards.
 *
 * <p>Two neighbours of different kind that both arrived mark an edge: where parity begins, or where the next group does.
 * Distances between beginnings of groups are multiples of n, and so are the beginnings; each n that fits, with each number of
 * data shards that an edge suggests, is held against everything that has arrived. What was lost, came late or twice, and
 * parity that was never sent, contradicts nothing. A shape is believed when enough groups with data and parity agree with it,
 * enough shards were heard in all, and hardly any contradicts. Of several the smallest is taken: where parity is lost or left
 * out now and then, multiples of it look right for a while too.
 */
final class ShapeDetector {

    private static final int SAMPLES = 1024;
    private static final int EDGES = 4;
    /** Small groups with losses look like other small groups: so many shards, whatever their number of groups. */
    private static final int MIN_HEARD = 24;
    private static final int MAX_GROUPS_LOOKED_AT = 64;
    /** A forged shard is forgiven in one group among these and one more. */
    private static final int AGREEING_PER_CONTRADICTING = 3;
    /** One forged shard is forgiven among so many. */
    private static final int HEARD_PER_CONTRADICTING = 64;
    private static final int MAX_CONTRADICTING = SAMPLES / HEARD_PER_CONTRADICTING;

    /** What one search may look at: forged edges can make it one of many shapes, with nothing to refute them. */
    private static final int MAX_LOOKS = 16_384;

    private static final byte UNKNOWN = 0;
    private static final byte DATA = 1;
    private static final byte PARITY = 2;

    private final int[] seqids = new int[SAMPLES];
    private final byte[] kinds = new byte[SAMPLES];
    private final int[] groupStarts = new int[EDGES];
    private final int[] parityStarts = new int[EDGES];
    private int groupStartCount;
    private int parityStartCount;
    private int sampleCount;
    private int looks;

    void reset() {
        Arrays.fill(kinds, UNKNOWN);
        groupStartCount = 0;
        parityStartCount = 0;
        sampleCount = 0;
    }

    int sampleCount() {
        return sampleCount;
    }

    /**
     * Looks at a shard. Data that was heard stays data, whatever comes in its place.
     *
     * @param seqid           its seqid
     * @param isData          whether it is data
     * @param agreeingGroups  how many groups must agree
     * @return the shape that all fits with, null if none is known yet
     */
    @Nullable FecShape observe(int seqid, boolean isData, int agreeingGroups) {
        sampleCount++;
        byte kind = isData ? DATA : PARITY;
        byte known = kindOf(seqid);
        // Data was found sound; parity is whatever says so, and must not displace what speaks against it.
        if (known == DATA || known == kind) {
            return null;
        }
        seqids[seqid & SAMPLES - 1] = seqid;
        kinds[seqid & SAMPLES - 1] = kind;
        int edgesBefore = groupStartCount + parityStartCount;
        noteEdge(kindOf(seqid - 1), kind, seqid);
        noteEdge(kind, kindOf(seqid + 1), seqid + 1);
        if (seqid == 0 && isData) {
            addGroupStart(seqid);
        }
        return groupStartCount + parityStartCount == edgesBefore ? null : find(seqid, agreeingGroups);
    }

    /** Returns how many shards the latest search looked at. */
    int looks() {
        return looks;
    }

    private byte kindOf(int seqid) {
        int slot = seqid & SAMPLES - 1;
        return seqids[slot] == seqid ? kinds[slot] : UNKNOWN;
    }

    private void noteEdge(byte before, byte after, int at) {
        if (before == PARITY && after == DATA) {
            addGroupStart(at);
        } else if (before == DATA && after == PARITY) {
            parityStarts[parityStartCount++ % EDGES] = at;
        }
    }

    private void addGroupStart(int at) {
        groupStarts[groupStartCount++ % EDGES] = at;
    }

    private @Nullable FecShape find(int newest, int agreeingGroups) {
        int starts = Math.min(groupStartCount, EDGES);
        looks = 0;
        for (int first = 0; first < starts; first++) {
            for (int second = first + 1; second < starts; second++) {
                FecShape shape = findBetween(groupStarts[first], groupStarts[second], newest, agreeingGroups);
                if (shape != null) {
                    return shape;
                }
            }
        }
        return null;
    }

    private @Nullable FecShape findBetween(int firstStart, int secondStart, int newest, int agreeingGroups) {
        long distance = Math.abs((long) (secondStart - firstStart));
        if (distance == 0 || distance > SAMPLES) {
            return null;
        }
        for (int total = 2; total <= Math.min(distance, FecShape.MAX_SHARDS); total++) {
            if (distance % total == 0 && Integer.remainderUnsigned(firstStart, total) == 0) {
                int triedBefore = 0;
                for (int i = 0; i < Math.min(parityStartCount, EDGES); i++) {
                    int dataShards = Integer.remainderUnsigned(parityStarts[i], total);
                    if (dataShards > 0 && dataShards != triedBefore && agree(dataShards, total, newest, agreeingGroups)) {
                        return new FecShape(dataShards, total - dataShards);
                    }
                    triedBefore = dataShards;
                }
            }
        }
        return null;
    }

    /** Goes back from the newest group until enough agree, or too many do not. */
    private boolean agree(int dataShards, int total, int newest, int agreeingGroups) {
        int agreeing = 0;
        int heard = 0;
        int contradicting = 0;
        int contradictingGroups = 0;
        int start = newest - Integer.remainderUnsigned(newest, total);
        int groups = Math.min(MAX_GROUPS_LOOKED_AT, SAMPLES / total);
        for (int i = 0; i < groups && contradicting <= MAX_CONTRADICTING && looks < MAX_LOOKS; i++, start -= total) {
            looks += total;
            int kindsHeard = 0;
            int contradictingBefore = contradicting;
            for (int position = 0; position < total; position++) {
                byte kind = kindOf(start + position);
                if (kind != UNKNOWN) {
                    heard++;
                    kindsHeard |= kind;
                    contradicting += kind == DATA == position < dataShards ? 0 : 1;
                }
            }
            if (contradicting > contradictingBefore) {
                contradictingGroups++;
            } else if (kindsHeard == (DATA | PARITY)) {
                agreeing++;
            }
            if (agreeing >= agreeingGroups && heard >= MIN_HEARD && contradicting * HEARD_PER_CONTRADICTING <= heard
                && contradictingGroups * AGREEING_PER_CONTRADICTING <= agreeing) {
                return true;
            }
        }
        return false;
    }
}

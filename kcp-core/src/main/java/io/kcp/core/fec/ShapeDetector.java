package io.kcp.core.fec;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Detects the group shape of a sender from the types of its shards. Groups start at multiples of their size n, so a shard is data if the
 * remainder of its seqid divided by n is below the number of data shards.
 *
 * <p>Two consecutive seqids of different types form an edge, which is either the start of parity or the start of the next group. The starts
 * of groups, and the distances between them, are multiples of n. Each possible n is combined with each number of data shards that an edge
 * suggests, and compared with all shards received. Lost, late, duplicate and omitted shards contradict no shape. A shape is detected if
 * enough groups with data and parity agree with it, enough shards were received, and few of them contradict it. The smallest such shape is
 * chosen, because its multiples may also agree for a while if parity is lost or omitted.
 */
final class ShapeDetector {

    private static final int SAMPLES = 1024;
    private static final int EDGES = 4;
    /**
     * Minimum number of received shards before a shape is detected, regardless of the number of groups. With fewer shards, losses could
     * make small groups look like groups of another small shape.
     */
    private static final int MIN_RECEIVED = 24;
    private static final int MAX_GROUPS_COMPARED = 64;
    /** Number of agreeing groups needed to outweigh one contradicting group, which may contain a forged shard. */
    private static final int AGREEING_PER_CONTRADICTING = 3;
    /** Number of received shards needed to outweigh one contradicting shard, which may be forged. */
    private static final int RECEIVED_PER_CONTRADICTING = 64;
    private static final int MAX_CONTRADICTING = SAMPLES / RECEIVED_PER_CONTRADICTING;

    /**
     * Maximum number of shards that one search compares. The limit is needed because forged shards can suggest many shapes that nothing
     * contradicts.
     */
    private static final int MAX_COMPARISONS = 16_384;

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
    private int comparisons;

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
     * Adds a received shard. A seqid recorded as data remains data, even if parity with the same seqid arrives.
     *
     * @param seqid          the seqid of the shard
     * @param isData         {@code true} if the shard is data
     * @param agreeingGroups the number of groups that must agree
     * @return the detected shape, or null if there is none yet
     */
    @Nullable FecShape observe(int seqid, boolean isData, int agreeingGroups) {
        sampleCount++;
        byte kind = isData ? DATA : PARITY;
        byte known = kindOf(seqid);
        // A parity shard must not replace a data shard, because only data shards can be validated.
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

    /** Returns the number of shards that the latest search compared. */
    int comparisons() {
        return comparisons;
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
        comparisons = 0;
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

    /** Compares a shape with the received groups, starting with the newest one, until enough groups agree or too many contradict it. */
    private boolean agree(int dataShards, int total, int newest, int agreeingGroups) {
        int agreeing = 0;
        int received = 0;
        int contradicting = 0;
        int contradictingGroups = 0;
        int start = newest - Integer.remainderUnsigned(newest, total);
        int groups = Math.min(MAX_GROUPS_COMPARED, SAMPLES / total);
        for (int i = 0; i < groups && contradicting <= MAX_CONTRADICTING && comparisons < MAX_COMPARISONS; i++, start -= total) {
            comparisons += total;
            int kindsReceived = 0;
            int contradictingBefore = contradicting;
            for (int position = 0; position < total; position++) {
                byte kind = kindOf(start + position);
                if (kind != UNKNOWN) {
                    received++;
                    kindsReceived |= kind;
                    contradicting += kind == DATA == position < dataShards ? 0 : 1;
                }
            }
            if (contradicting > contradictingBefore) {
                contradictingGroups++;
            } else if (kindsReceived == (DATA | PARITY)) {
                agreeing++;
            }
            if (agreeing >= agreeingGroups && received >= MIN_RECEIVED && contradicting * RECEIVED_PER_CONTRADICTING <= received
                && contradictingGroups * AGREEING_PER_CONTRADICTING <= agreeing) {
                return true;
            }
        }
        return false;
    }
}

package io.kcp.core.internal.loss;

import io.kcp.core.SegmentHeader;
import io.kcp.core.internal.congestion.CongestionControl;
import io.kcp.core.internal.memory.Segment;
import org.jspecify.annotations.Nullable;

/**
 * Distinguishes segments that the path has lost and FEC parity has recovered from segments that were only late. The peer acknowledges a
 * late segment twice, because parity recovers it before it arrives. A segment therefore counts as lost only if no second acknowledgement
 * arrives within one round trip.
 *
 * <p>A late segment is acknowledged only once if so many datagrams of its group are late that parity cannot recover it. If more than a
 * quarter of the segments are acknowledged twice, the path reorders datagrams, and the other segments are considered late as well.
 *
 * <p>The segments of one round trip are stored, so the send window limits their number.
 */
public final class RecoveredSegments {

    private static final int INITIAL_CAPACITY = 16;
    /**
     * Maximum length of the table. Segments whose numbers differ by less than the length do not collide. A window of this size fills a path
     * of 1 Gbit/s with a round trip of 180 ms.
     */
    static final int MAX_CAPACITY = 1 << 14;
    /** Memory of one array element and the segment to which it refers. */
    private static final int BYTES_PER_SLOT = 64;
    /** Value of {@link #lateShare} if all segments were acknowledged twice. */
    private static final int ALL = 1 << 12;
    /** Number of segments over which {@link #lateShare} averages. */
    private static final int HORIZON = 16;

    private static final @Nullable Awaiting[] NONE = {};

    /** A segment that was acknowledged once, in a list in the order of the acknowledgements. */
    private static final class Awaiting {

        private int sn;
        private int sentAtMs;
        private int acknowledgedAtMs;
        private long order;
        private int bytes;
        /** Number of the event that reported the segment as lost before it was acknowledged, or 0. */
        private int lossEvent;
        private boolean late;
        private @Nullable Awaiting next;
    }

    /** The segments, at indexes derived from their numbers. Allocated for the first segment, because most sessions lose nothing. */
    private @Nullable Awaiting[] table = NONE;
    private @Nullable Awaiting oldest;
    private @Nullable Awaiting newest;
    /** Objects to use again. */
    private @Nullable Awaiting unused;
    private CongestionControl congestion;
    private int lateShare;
    private int decided;

    private int lost;
    private int lostBytes;
    private int takenBytes;
    private long newestLostOrder;

    public RecoveredSegments(CongestionControl congestion) {
        this.congestion = congestion;
    }

    /**
     * Adds a segment that an ACK has acknowledged and that parity has apparently recovered. If the segment was reported as lost before,
     * that loss is resolved as soon as it is known if the segment was late.
     *
     * @param echoedAtMs the time of the acknowledged transmission
     * @param timeMs     now
     */
    public void add(Segment segment, int echoedAtMs, int timeMs) {
        makeRoom(segment.sn);
        Awaiting added = unused == null ? new Awaiting() : unused;
        unused = added.next;
        added.next = null;
        added.sn = segment.sn;
        added.sentAtMs = echoedAtMs;
        added.acknowledgedAtMs = timeMs;
        added.order = segment.order;
        added.bytes = SegmentHeader.LENGTH + segment.payloadBytes;
        added.lossEvent = segment.lossEvent;
        added.late = false;
        table[indexOf(segment.sn)] = added;
        if (newest == null) {
            oldest = added;
        } else {
            newest.next = added;
        }
        newest = added;
    }

    private int indexOf(int sn) {
        return sn & table.length - 1;
    }

    /** Enlarges the table until the index of a segment is free. At the maximum size, the oldest segments are decided instead. */
    private void makeRoom(int sn) {
        if (table.length == 0) {
            table = new @Nullable Awaiting[INITIAL_CAPACITY];
        }
        while (table[indexOf(sn)] != null) {
            if (table.length < MAX_CAPACITY) {
                table = new @Nullable Awaiting[table.length << 1];
                for (Awaiting waiting = oldest; waiting != null; waiting = waiting.next) {
                    table[indexOf(waiting.sn)] = waiting;
                }
            } else {
                decideOldest();
            }
        }
    }

    /**
     * Records an ACK of a segment that is already acknowledged.
     *
     * @param echoedAtMs the time of the acknowledged transmission
     * @return {@code true} if the ACK shows that the segment was late
     */
    public boolean onRepeatedAck(int sn, int echoedAtMs) {
        Awaiting waiting = table.length == 0 ? null : table[indexOf(sn)];
        if (waiting == null || waiting.sn != sn || waiting.sentAtMs != echoedAtMs || waiting.late) {
            return false;
        }
        waiting.late = true;
        learn(ALL);
        if (waiting.lossEvent != 0) {
            congestion.onLossResolved(waiting.lossEvent, true);
        }
        return true;
    }

    /**
     * Returns {@code true} if the path reorders datagrams, so that a late acknowledgement is probably caused by a late segment. Otherwise,
     * the peer has probably recovered the segment.
     */
    public boolean isReordering() {
        return lateShare > ALL / 4;
    }

    /**
     * Decides which segments were lost, because no second acknowledgement has arrived in time.
     *
     * @param waitMs the time to wait for the second acknowledgement
     * @return the number of segments lost since the previous call
     */
    public int takeLost(int timeMs, int waitMs) {
        while (oldest != null && (oldest.late || timeMs - oldest.acknowledgedAtMs > waitMs)) {
            decideOldest();
        }
        int taken = lost;
        takenBytes = lostBytes;
        lost = 0;
        lostBytes = 0;
        return taken;
    }

    /** Returns the order of the newest lost transmission. */
    public long newestLostOrder() {
        return newestLostOrder;
    }

    /** Returns the size, with headers, of the segments that the latest call of {@link #takeLost} has returned. */
    public int takenBytes() {
        return takenBytes;
    }

    /** Discards all segments, because the path or the congestion control has changed. */
    public void clear(CongestionControl newCongestion) {
        congestion = newCongestion;
        table = NONE;
        oldest = null;
        newest = null;
        unused = null;
        lost = 0;
        lostBytes = 0;
        lateShare = 0;
        decided = 0;
    }

    boolean isLarge() {
        return table.length > INITIAL_CAPACITY;
    }

    /** Returns the memory in bytes of an enlarged table and its segments, otherwise 0. */
    public int arrayBytes() {
        return isLarge() ? table.length * BYTES_PER_SLOT : 0;
    }

    /**
     * Decides all segments of an enlarged table, so that {@link #trim} can free the table. To be called while the conversation is idle,
     * because late segments have arrived by then and no further acknowledgement would trigger the decision.
     */
    public void decideIfLarge() {
        while (isLarge() && oldest != null) {
            decideOldest();
        }
    }

    /** Frees the table if a burst has enlarged it and no segment is stored. */
    public void trim() {
        if (isLarge() && oldest == null) {
            table = NONE;
            unused = null;
        }
    }

    private void decideOldest() {
        Awaiting decidedNow = oldest;
        assert decidedNow != null;
        oldest = decidedNow.next;
        if (oldest == null) {
            newest = null;
        }
        table[indexOf(decidedNow.sn)] = null;
        decidedNow.next = unused;
        unused = decidedNow;
        if (!decidedNow.late) {
            decide(decidedNow);
        }
    }

    private void decide(Awaiting segment) {
        if (segment.lossEvent != 0) {
            congestion.onLossResolved(segment.lossEvent, isReordering());
            return;
        }
        learn(0);
        if (!isReordering()) {
            lost++;
            lostBytes += segment.bytes;
            newestLostOrder = Math.max(newestLostOrder, segment.order);
        }
    }

    private void learn(int outcome) {
        decided = Math.min(decided + 1, HORIZON);
        lateShare += (outcome - lateShare) / decided;
    }
}

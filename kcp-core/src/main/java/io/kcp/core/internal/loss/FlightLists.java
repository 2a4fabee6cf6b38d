package io.kcp.core.internal.loss;

import io.kcp.core.SegmentHeader;
import io.kcp.core.internal.memory.Segment;
import io.kcp.core.internal.memory.SegmentList;
import org.jspecify.annotations.Nullable;

/**
 * The segments in flight, in one list for each backoff step, in the order of their latest transmission. Segments that have used up their
 * fast retransmissions are in lists of their own. Lists are created when they are first needed.
 */
final class FlightLists {

    private static final int BACKOFF_STEPS = 32;
    /** Index of the first list of segments that have used up their fast retransmissions and are retransmitted only after a timeout. */
    static final int TIMEOUT_ONLY = BACKOFF_STEPS;

    private final SegmentList fresh = new SegmentList();
    private @Nullable SegmentList @Nullable [] backedOff;
    private long occupied;
    private int segments;
    private long bytes;
    private int fastResendLimit;

    /** Sets the limit for segments that are added later, see {@link io.kcp.core.KcpConfig#fastResendLimit()}. */
    void setFastResendLimit(int limit) {
        fastResendLimit = limit;
    }

    int segments() {
        return segments;
    }

    /** Returns the size of all segments with their headers. */
    long bytes() {
        return bytes;
    }

    /** Returns the size of a segment with its header. */
    static int bytes(Segment segment) {
        return SegmentHeader.LENGTH + segment.payloadBytes;
    }

    /** Returns the lists that are not empty: bit n stands for list n. */
    long occupied() {
        return occupied;
    }

    /** Returns the backoff step that a list stands for. */
    static int backoffSteps(int index) {
        return index & BACKOFF_STEPS - 1;
    }

    void add(Segment segment) {
        int index = indexFor(segment);
        at(index).addLast(segment);
        occupied |= 1L << index;
        segments++;
        bytes += bytes(segment);
    }

    void remove(Segment segment) {
        SegmentList list = segment.list;
        assert list != null;
        list.remove(segment);
        if (list.isEmpty()) {
            occupied &= ~(1L << indexOf(list, segment));
        }
        segments--;
        bytes -= bytes(segment);
    }

    /** Returns the oldest of the segments with the longest backoff, or null if no segment is backed off. */
    @Nullable Segment oldestBackedOff() {
        long backed = occupied & ~(1L | 1L << TIMEOUT_ONLY);
        return backed == 0 ? null : at(Long.SIZE - 1 - Long.numberOfLeadingZeros(backed)).first();
    }

    /**
     * Returns the index of the list that contains a segment. If the limit has changed since the segment was added, the list determines the
     * index.
     */
    int indexOf(SegmentList list, Segment segment) {
        int index = indexFor(segment);
        return at(index) == list ? index : index ^ TIMEOUT_ONLY;
    }

    private int indexFor(Segment segment) {
        int step = Math.min(segment.timeouts, BACKOFF_STEPS - 1);
        return segment.fastResends >= fastResendLimit ? step + TIMEOUT_ONLY : step;
    }

    SegmentList at(int index) {
        if (index == 0) {
            return fresh;
        }
        @Nullable SegmentList[] lists = backedOff;
        if (lists == null) {
            lists = new SegmentList[BACKOFF_STEPS << 1];
            backedOff = lists;
        }
        SegmentList list = lists[index];
        if (list == null) {
            list = new SegmentList();
            lists[index] = list;
        }
        return list;
    }
}

package io.kcp.core.internal.send;

import io.kcp.core.PathProof;
import io.kcp.core.internal.loss.LossDetector;
import io.kcp.core.internal.loss.TimeoutRounds;
import io.kcp.core.internal.memory.RetransmitReason;
import io.kcp.core.internal.memory.Segment;
import io.kcp.core.internal.memory.SegmentList;
import io.kcp.core.internal.memory.SegmentPool;
import io.kcp.core.internal.memory.SegmentRing;
import org.jspecify.annotations.Nullable;

/**
 * Stores the segments that were sent and that the peer has not yet acknowledged with {@code una}. The cost of an operation depends on the
 * number of segments that it changes, not on the size of the window.
 */
public final class SendWindow {

    private final SegmentPool pool;
    private final LossDetector detector;
    private final SegmentRing ring = new SegmentRing();
    private final SegmentList lost = new SegmentList();
    private int oldestUnacked;
    /** Lowest segment number that the peer has acknowledged neither with {@code una} nor with an ACK. */
    private int firstMissing;
    private int nextSn;
    /** {@code true} once {@code una} has passed a segment. The next fields describe the latest such segment. */
    private boolean anyPassed;
    private int passedFirstSentAtMs;
    private int passedSentAtMs;
    private long passedOrder;
    private long unacknowledgedBytes;
    private long segmentsVisited;

    SendWindow(SegmentPool pool, LossDetector detector, int firstSn) {
        this.pool = pool;
        this.detector = detector;
        oldestUnacked = firstSn;
        firstMissing = firstSn;
        nextSn = firstSn;
    }

    public int oldestUnacked() {
        return oldestUnacked;
    }

    public int nextSn() {
        return nextSn;
    }

    /** Returns the distance from the peer's {@code una} to the next segment number, including segments that ACKs have acknowledged. */
    int span() {
        return nextSn - oldestUnacked;
    }

    boolean isEmpty() {
        return nextSn == oldestUnacked;
    }

    long unacknowledgedBytes() {
        return unacknowledgedBytes;
    }

    public SegmentList lost() {
        return lost;
    }

    /** Returns the number of the oldest segment that was not acknowledged, or that of the next new segment. */
    public int firstMissing() {
        return firstMissing;
    }

    /** Returns the segment that blocks {@code una} if that segment is in flight, otherwise null. */
    @Nullable Segment blocking() {
        Segment segment = nextSn == firstMissing ? null : ring.get(firstMissing);
        return segment == null || segment.list == lost ? null : segment;
    }

    /**
     * Returns the lost segment to retransmit next, which is the segment that blocks {@code una} if that segment is lost, and otherwise the
     * segment whose loss was detected first. The caller removes it from {@link #lost()}.
     */
    @Nullable Segment nextLost() {
        Segment blocking = ring.get(firstMissing);
        return blocking != null && blocking.list == lost ? blocking : lost.first();
    }

    long segmentsVisited() {
        return segmentsVisited;
    }

    /** Returns the number of transmissions of the oldest unacknowledged segment, or 0 if there is none. */
    public int oldestTransmissions() {
        Segment oldest = find(firstMissing);
        return oldest == null ? 0 : oldest.transmissions;
    }

    /** Adds a segment to the window and assigns a segment number to it. The caller sends the segment. */
    void admit(Segment segment) {
        segment.sn = nextSn++;
        ring.put(segment, oldestUnacked);
        unacknowledgedBytes += segment.payloadBytes;
    }

    /** Returns the segment with this number if it is in the window and unacknowledged, otherwise null. */
    public @Nullable Segment find(int sn) {
        if (sn - oldestUnacked < 0 || sn - nextSn >= 0) {
            return null;
        }
        segmentsVisited++;
        Segment segment = ring.get(sn);
        return segment == null || segment.acknowledged ? null : segment;
    }

    /**
     * Marks a single segment as acknowledged by an ACK. The segment stays in the window until {@code una} passes it. Its bytes count as
     * acknowledged only when all earlier segments have been acknowledged, because the peer cannot deliver them earlier.
     */
    public void acknowledge(Segment segment) {
        takeFromLists(segment);
        segment.acknowledged = true;
        segment.releasePayload();
        passAcknowledged();
    }

    private void passAcknowledged() {
        for (Segment next = ring.get(firstMissing); next != null && next.acknowledged; next = ring.get(firstMissing)) {
            segmentsVisited++;
            unacknowledgedBytes -= next.payloadBytes;
            firstMissing++;
        }
    }

    /**
     * Acknowledges all segments before {@code una}.
     *
     * @return the number of newly acknowledged segments
     */
    public int acknowledgeBefore(int una) {
        return acknowledgeBefore(una, null, 0);
    }

    /**
     * Acknowledges all segments before {@code una} and passes them to an observer.
     *
     * @return the number of newly acknowledged segments
     */
    public int acknowledgeBefore(int una, @Nullable CongestionFeedback feedback, int timeMs) {
        int acknowledged = 0;
        boolean original = true;
        while (una - oldestUnacked > 0) {
            segmentsVisited++;
            Segment segment = ring.get(oldestUnacked);
            if (segment != null) {
                ring.clear(oldestUnacked);
                if (firstMissing - oldestUnacked <= 0) {
                    unacknowledgedBytes -= segment.payloadBytes;
                    firstMissing = oldestUnacked + 1;
                }
                if (!segment.acknowledged) {
                    if (feedback != null) {
                        feedback.onPassed(segment, timeMs);
                        // A retransmission may have filled a gap in front of the following segments, which then prove nothing.
                        original &= segment.transmissions == 1;
                        if (original) {
                            detector.onPassed(segment, timeMs);
                        }
                    }
                    takeFromLists(segment);
                    acknowledged++;
                }
                anyPassed = true;
                passedFirstSentAtMs = segment.firstSentAtMs;
                passedSentAtMs = segment.latestSentAtMs();
                passedOrder = segment.order;
                pool.release(segment);
            }
            oldestUnacked++;
        }
        passAcknowledged();
        if (oldestUnacked == nextSn) {
            ring.onEmpty();
        }
        return acknowledged;
    }

    /**
     * Schedules the oldest of the segments with the longest backoff for immediate retransmission. Called when the peer is active again.
     */
    public void expediteOldest() {
        Segment segment = detector.oldestBackedOff();
        if (segment != null) {
            segmentsVisited++;
            detector.remove(segment);
            segment.retransmitReason = RetransmitReason.TIMEOUT;
            lost.addLast(segment);
        }
    }

    /**
     * Schedules the oldest segments in flight for immediate retransmission, because they were sent on a path that no longer works. As with
     * other timeouts, acknowledgements permit the retransmission of the other segments.
     */
    void expediteAfterMove(int timeMs) {
        int left = TimeoutRounds.TIMEOUTS_PER_ROUND;
        for (int sn = firstMissing; nextSn - sn > 0 && left > 0; sn++) {
            segmentsVisited++;
            Segment segment = ring.get(sn);
            if (segment == null || segment.acknowledged) {
                continue;
            }
            if (segment.list != lost) {
                detector.remove(segment);
                lost.addLast(segment);
            }
            segment.retransmitReason = RetransmitReason.TIMEOUT;
            segment.timeouts = 0;
            left--;
        }
        detector.useUpTimeouts(timeMs);
    }

    /**
     * Checks whether a segment was sent at the time that its acknowledgement echoes. Only segments in the window and the latest segment
     * before {@code una} can be checked.
     */
    public PathProof examineEcho(int sn, int sentAtMs) {
        int first;
        int latest;
        Segment segment = sn - oldestUnacked < 0 || sn - nextSn >= 0 ? null : ring.get(sn);
        if (segment != null) {
            first = segment.firstSentAtMs;
            latest = segment.latestSentAtMs();
        } else if (anyPassed && sn == oldestUnacked - 1) {
            first = passedFirstSentAtMs;
            latest = passedSentAtMs;
        } else {
            return PathProof.NONE;
        }
        return sentAtMs - first < 0 || latest - sentAtMs < 0 ? PathProof.WRONG_ECHO : PathProof.PROOF;
    }

    /** Returns the order of the latest transmission of the segment that {@code una} has passed last. */
    public long passedOrder() {
        return passedOrder;
    }

    /** Returns the memory in bytes of the ring buffer if it is enlarged, otherwise 0. */
    int arrayBytes() {
        return ring.arrayBytes();
    }

    /** Frees the ring buffer if a burst has enlarged it and the window is empty. */
    void trim() {
        if (isEmpty()) {
            ring.trim();
        }
    }

    /** Releases all segments. The byte count remains, because it is the amount of undelivered data. */
    void release() {
        ring.drainTo(pool);
        oldestUnacked = nextSn;
    }

    private void takeFromLists(Segment segment) {
        if (segment.list == lost) {
            lost.remove(segment);
        } else {
            detector.remove(segment);
        }
    }
}

package io.kcp.core;

import org.jspecify.annotations.Nullable;

/**
 * The segments that have an {@code sn} and are not covered by the peer's {@code una}: in flight, or lost and waiting for their
 * retransmission. The cost of an operation depends on the number of segments that it changes, not on the size of the window.
 */
final class SendWindow {

    private final SegmentPool pool;
    private final LossDetector detector;
    private final SegmentRing ring = new SegmentRing();
    private final SegmentList lost = new SegmentList();
    private int oldestUnacked;
    /** The peer has acknowledged every segment before this one, by {@code una} or by number. */
    private int firstMissing;
    private int nextSn;
    private long unacknowledgedBytes;
    private long segmentsVisited;

    SendWindow(SegmentPool pool, LossDetector detector, int firstSn) {
        this.pool = pool;
        this.detector = detector;
        oldestUnacked = firstSn;
        firstMissing = firstSn;
        nextSn = firstSn;
    }

    int oldestUnacked() {
        return oldestUnacked;
    }

    int nextSn() {
        return nextSn;
    }

    /** Returns the distance from the oldest unacknowledged segment to the next number, with segments acknowledged by number. */
    int span() {
        return nextSn - oldestUnacked;
    }

    boolean isEmpty() {
        return nextSn == oldestUnacked;
    }

    long unacknowledgedBytes() {
        return unacknowledgedBytes;
    }

    SegmentList lost() {
        return lost;
    }

    /** Removes the lost segment to retransmit next: the one that blocks {@code una}, otherwise the one detected first. */
    @Nullable Segment pollLost() {
        Segment blocking = ring.get(firstMissing);
        if (blocking != null && blocking.list == lost) {
            lost.remove(blocking);
            return blocking;
        }
        return lost.pollFirst();
    }

    long segmentsVisited() {
        return segmentsVisited;
    }

    /** Returns the number of transmissions of the oldest unacknowledged segment, 0 if there is none. */
    int oldestTransmissions() {
        Segment oldest = find(firstMissing);
        return oldest == null ? 0 : oldest.transmissions;
    }

    /** Adds a segment to the window and sets its number. The caller sends it. */
    void admit(Segment segment) {
        segment.sn = nextSn++;
        ring.put(segment, oldestUnacked);
        unacknowledgedBytes += segment.payloadBytes;
    }

    /** Returns the segment with this number if it is in the window and unacknowledged. */
    @Nullable Segment find(int sn) {
        if (sn - oldestUnacked < 0 || sn - nextSn >= 0) {
            return null;
        }
        segmentsVisited++;
        Segment segment = ring.get(sn);
        return segment == null || segment.acknowledged ? null : segment;
    }

    /**
     * Acknowledges one segment by its number. It stays in the window until {@code una} passes it. Its bytes count as
     * acknowledged when no earlier segment is missing, because the peer cannot deliver them before.
     */
    void acknowledge(Segment segment) {
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
     * Acknowledges everything before {@code una}.
     *
     * @return the number of segments that were not acknowledged before
     */
    int acknowledgeBefore(int una) {
        int acknowledged = 0;
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
                    takeFromLists(segment);
                    acknowledged++;
                }
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

    /** Marks the segment with the longest back-off as lost, if there is one, because the peer is active again. */
    void expediteOldest() {
        Segment segment = detector.oldestBackedOff();
        if (segment != null) {
            segmentsVisited++;
            detector.remove(segment);
            segment.lossCause = LossCause.TIMEOUT;
            lost.addLast(segment);
        }
    }

    boolean isLarge() {
        return ring.isLarge();
    }

    /** Frees a large array if the window is empty. */
    void trim() {
        if (isEmpty()) {
            ring.trim();
        }
    }

    /** Releases all segments. The byte count stays, because it is the amount of undelivered data. */
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

package io.kcp.core;

import io.kcp.core.congestion.CongestionControl;

/**
 * Distinguishes segments that the path has lost and FEC parity has recovered from segments that were only late. The peer acknowledges a
 * late segment twice, because parity recovers it before it arrives. A segment therefore counts as lost only if no second acknowledgement
 * arrives within one round trip.
 *
 * <p>A late segment is acknowledged only once if so many datagrams of its group are late that parity cannot recover it. If a quarter of the
 * segments are acknowledged twice, the path reorders datagrams, and the other segments are considered late as well.
 */
final class RecoveredSegments {

    /** Maximum number of segments that await a second acknowledgement. A further segment replaces the oldest one, which counts as lost. */
    static final int CAPACITY = 32;
    /** Value of {@link #lateShare} if all segments were acknowledged twice. */
    private static final int ALL = 1 << 12;
    /** Number of segments over which {@link #lateShare} averages. */
    private static final int HORIZON = 16;

    private static final int[] NO_INTS = {};
    private static final long[] NO_LONGS = {};

    // The arrays are allocated for the first segment, because parity recovers nothing in most sessions.
    private int[] sns = NO_INTS;
    private int[] sentAtMs = NO_INTS;
    private int[] acknowledgedAtMs = NO_INTS;
    /** Order of the transmission, or 0 once a second acknowledgement has arrived. */
    private long[] orders = NO_LONGS;
    private int[] bytes = NO_INTS;
    /** Number of the event that reported the segment as lost before it was acknowledged, or 0. */
    private int[] events = NO_INTS;
    private CongestionControl congestion;
    private int first;
    private int size;
    private int lateShare;
    private int decided;

    private int lost;
    private int lostBytes;
    private int takenBytes;
    private long newestLostOrder;

    RecoveredSegments(CongestionControl congestion) {
        this.congestion = congestion;
    }

    /**
     * Adds a segment that an ACK has acknowledged and that parity has apparently recovered. If the segment was reported as lost before,
     * that loss is resolved as soon as it is known if the segment was late.
     *
     * @param echoedAtMs the time of the acknowledged transmission
     * @param timeMs     now
     */
    void add(Segment segment, int echoedAtMs, int timeMs) {
        if (sns.length == 0) {
            allocate();
        } else if (size == CAPACITY) {
            decideFirst();
        }
        int index = first + size & CAPACITY - 1;
        sns[index] = segment.sn;
        sentAtMs[index] = echoedAtMs;
        acknowledgedAtMs[index] = timeMs;
        orders[index] = segment.order;
        bytes[index] = SegmentHeader.LENGTH + segment.payloadBytes;
        events[index] = segment.lossEvent;
        size++;
    }

    /**
     * Records an ACK of a segment that is already acknowledged.
     *
     * @param echoedAtMs the time of the acknowledged transmission
     * @return {@code true} if the ACK shows that the segment was late
     */
    boolean onRepeatedAck(int sn, int echoedAtMs) {
        for (int i = 0; i < size; i++) {
            int index = first + i & CAPACITY - 1;
            if (sns[index] == sn && sentAtMs[index] == echoedAtMs && orders[index] != 0) {
                orders[index] = 0;
                learn(ALL);
                if (events[index] != 0) {
                    congestion.onLossResolved(events[index], true);
                }
                return true;
            }
        }
        return false;
    }

    /**
     * Returns {@code true} if parity has recovered segments and the path hardly reorders datagrams. A late acknowledgement is then probably
     * caused by parity.
     */
    boolean explainsDelay() {
        return decided > 0 && mayExplainDelay();
    }

    /** Returns {@code true} unless the path reorders datagrams, so that a late acknowledgement is probably caused by parity. */
    boolean mayExplainDelay() {
        return lateShare <= ALL / 4;
    }

    /**
     * Decides which segments were lost, because no second acknowledgement has arrived in time.
     *
     * @param waitMs the time to wait for the second acknowledgement
     * @return the number of segments lost since the previous call
     */
    int takeLost(int timeMs, int waitMs) {
        while (size > 0 && (orders[first] == 0 || timeMs - acknowledgedAtMs[first] > waitMs)) {
            decideFirst();
        }
        int taken = lost;
        takenBytes = lostBytes;
        lost = 0;
        lostBytes = 0;
        return taken;
    }

    /** Returns the order of the newest lost transmission. */
    long newestLostOrder() {
        return newestLostOrder;
    }

    /** Returns the size, with headers, of the segments that the latest call of {@link #takeLost} has returned. */
    int takenBytes() {
        return takenBytes;
    }

    /** Discards all segments, because the path or the congestion control has changed. */
    void clear(CongestionControl newCongestion) {
        congestion = newCongestion;
        size = 0;
        lost = 0;
        lostBytes = 0;
        lateShare = 0;
        decided = 0;
    }

    private void allocate() {
        sns = new int[CAPACITY];
        sentAtMs = new int[CAPACITY];
        acknowledgedAtMs = new int[CAPACITY];
        orders = new long[CAPACITY];
        bytes = new int[CAPACITY];
        events = new int[CAPACITY];
    }

    private void decideFirst() {
        if (orders[first] != 0) {
            if (events[first] == 0) {
                learn(0);
            } else {
                congestion.onLossResolved(events[first], !explainsDelay());
            }
            if (events[first] == 0 && explainsDelay()) {
                lost++;
                lostBytes += bytes[first];
                newestLostOrder = Math.max(newestLostOrder, orders[first]);
            }
        }
        first = first + 1 & CAPACITY - 1;
        size--;
    }

    private void learn(int outcome) {
        decided = Math.min(decided + 1, HORIZON);
        lateShare += (outcome - lateShare) / decided;
    }
}

package io.kcp.core.internal.receive;

import io.kcp.core.internal.loss.RecoveredSegments;

/**
 * Remembers the segments that FEC has recovered, in order to recognize those that arrive afterwards. Their acknowledgements show the peer
 * that the path has not lost them, as described at {@link RecoveredSegments}.
 */
final class LateArrivals {

    /**
     * Number of consecutive segments that can be remembered. A later segment replaces an earlier one with the same index. The peer then
     * considers the earlier one lost, even if it arrives.
     */
    private static final int CAPACITY = 128;
    static final int BYTES = 2 * CAPACITY * Long.BYTES;

    /** The {@code sn} and {@code ts} of recovered segments, at indexes derived from the {@code sn}. */
    private final long[] recovered = new long[CAPACITY];
    /** The {@code sn} and {@code ts} of the segments that have arrived after they were recovered. */
    private final long[] late = new long[CAPACITY];

    /** Records that FEC has recovered a segment that had not arrived. */
    void onRecovered(int sn, int ts) {
        recovered[indexOf(sn)] = key(sn, ts);
    }

    /** Records the arrival of a segment that was stored before. Only the transmission that was recovered counts. */
    void onDuplicate(int sn, int ts) {
        int index = indexOf(sn);
        if (recovered[index] == key(sn, ts)) {
            late[index] = key(sn, ts);
        }
    }

    /** Returns {@code true} if a segment has arrived after FEC had recovered it. */
    boolean isLate(int sn, int ts) {
        return late[indexOf(sn)] == key(sn, ts);
    }

    private static int indexOf(int sn) {
        return sn & CAPACITY - 1;
    }

    /** Returns a number that is 0, the value of unused elements, only for the {@code sn} and {@code ts} of -1. */
    private static long key(int sn, int ts) {
        return ~((long) sn << Integer.SIZE | ts & 0xFFFF_FFFFL);
    }
}

package io.kcp.tools.linkcheck;

import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;

/**
 * Determines which datagrams of a peer were lost or reordered, from the segments that arrive. Each segment is assumed to be in a datagram
 * of its own. Every transmission of a segment carries the time of the peer at which it was sent. A missing segment therefore was lost if it
 * arrives with a later {@code ts} than the segment that followed the gap, and was reordered otherwise.
 */
final class ReceivedSegments {

    private static final int MAX_GAP = 65_535;

    /** The {@code ts} of the segment that followed each gap, by the {@code sn} of the missing segments. */
    private final Map<Integer, Integer> missing = new HashMap<>();
    private final BitSet lostPositions = new BitSet();
    private boolean started;
    private int firstSn;
    private int highestSn;
    private long lost;
    private long reordered;

    /**
     * Records a segment.
     *
     * @param recovered {@code true} if FEC recovered the datagram, which therefore was lost
     */
    void onPush(int sn, int ts, boolean recovered) {
        if (!started) {
            started = true;
            firstSn = sn;
            highestSn = sn;
            return;
        }
        int ahead = sn - highestSn;
        if (ahead > MAX_GAP) {
            return;
        }
        if (ahead > 0) {
            for (int gap = highestSn + 1; gap != sn; gap++) {
                missing.put(gap, ts);
            }
            highestSn = sn;
            if (recovered) {
                onLost(sn);
            }
            return;
        }
        Integer tsAfterGap = missing.remove(sn);
        if (tsAfterGap == null) {
            return;
        }
        if (!recovered && ts - tsAfterGap <= 0) {
            reordered++;
        } else {
            onLost(sn);
        }
    }

    private void onLost(int sn) {
        lost++;
        lostPositions.set(sn - firstSn);
    }

    /** Returns the number of segments up to the highest one that has arrived, not counting retransmissions. */
    long segments() {
        return started ? highestSn - firstSn + 1L : 0;
    }

    long lost() {
        return lost;
    }

    double lossShare() {
        return started ? (double) lost / segments() : 0;
    }

    double reorderedShare() {
        return started ? (double) reordered / segments() : 0;
    }

    /** Returns the mean number of consecutive segments that were lost, or 0 if none was lost. */
    double meanLossRun() {
        long runs = 0;
        for (int begin = lostPositions.nextSetBit(0); begin >= 0; begin = lostPositions.nextSetBit(lostPositions.nextClearBit(begin))) {
            runs++;
        }
        return runs == 0 ? 0 : (double) lost / runs;
    }
}

package io.kcp.core.internal.send;

/** Estimates the share of segments that the path loses, as a moving average over about 256 segments. */
final class PathLoss {

    private static final int SHIFT = 8;
    private static final int ONE = 1 << 16;

    /** The share in units of 1 / 65,536. */
    private int share;

    /** Records that a segment whose loss would be noticed was sent. */
    void onSent() {
        share -= share + (1 << SHIFT) - 1 >> SHIFT;
    }

    /** Records that a recorded segment was lost. */
    void onLost() {
        share = Math.min(share + (ONE >> SHIFT), ONE);
    }

    /** Records that a recorded segment that was considered lost has arrived. */
    void onSpuriousLoss() {
        share = Math.max(share - (ONE >> SHIFT), 0);
    }

    /** Returns {@code true} if more than this share of the segments is lost. */
    boolean isAbove(double limit) {
        return share > limit * ONE;
    }
}

package io.kcp.core.congestion;

/**
 * Compares the losses with those that the path causes without congestion, which {@link LossFloor} estimates. Counts enough segments before
 * it decides, so that random losses do not appear to be excessive.
 */
final class ExcessLoss {

    private static final double DEVIATIONS = 2;
    private static final double MARGIN = 0.02;
    private static final double SEVERE_MARGIN = 0.1;
    private static final int SAMPLE_SEGMENTS = 100;

    private final LossFloor floor;
    private double lost;
    private double total;
    private double cruiseLost;
    private double cruiseTotal;
    private int excessiveSamples;

    ExcessLoss(LossFloor floor) {
        this.floor = floor;
    }

    /**
     * Adds the segments of a round. Returns {@code true} if two samples in a row show excessive losses, or if one sample exceeds the
     * expected losses by a large margin.
     */
    boolean isExcessive(double lostSegments, double totalSegments) {
        lost += lostSegments;
        total += totalSegments;
        if (total < SAMPLE_SEGMENTS) {
            return false;
        }
        double excess = excess(lost, total, Math.min(floor.share(), floor.reducedShare()));
        lost = 0;
        total = 0;
        excessiveSamples = excess > 0 ? excessiveSamples + 1 : 0;
        return excessiveSamples >= 2 || excess > SEVERE_MARGIN;
    }

    /** Adds the segments of a round that were sent at the estimated bandwidth. */
    void addAtBandwidth(double lostSegments, double totalSegments) {
        cruiseLost += lostSegments;
        cruiseTotal += totalSegments;
    }

    /**
     * Returns the share of segments that was lost because they were sent at the full rate instead of a reduced rate, or 0. A policer causes
     * such losses.
     */
    double takeRateDependentShare() {
        double share = 0;
        double reduced = floor.reducedShare();
        if (cruiseTotal >= SAMPLE_SEGMENTS && excess(cruiseLost, cruiseTotal, reduced) > 0) {
            share = cruiseLost / cruiseTotal - reduced;
        }
        cruiseLost = 0;
        cruiseTotal = 0;
        return share;
    }

    /** Returns by how much a share of losses exceeds the share that random deviations from the expected share explain. */
    private static double excess(double lostSegments, double totalSegments, double expected) {
        double deviation = Math.sqrt(expected * (1 - expected) / totalSegments);
        return lostSegments / totalSegments - expected - DEVIATIONS * deviation - MARGIN;
    }
}

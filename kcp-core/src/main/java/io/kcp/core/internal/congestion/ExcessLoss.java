package io.kcp.core.internal.congestion;

/**
 * Compares the losses with those that the path causes without congestion, which {@link LossFloor} estimates. Counts enough segments before
 * it decides, so that random losses do not appear to be excessive.
 */
final class ExcessLoss {

    private static final double DEVIATIONS = 2;
    /** Number of deviations for segments sent above the bandwidth. It is higher, because the reaction to a policer lasts seconds. */
    private static final double PROBE_DEVIATIONS = 3;
    private static final double MARGIN = 0.02;
    private static final double SEVERE_MARGIN = 0.1;
    private static final int SAMPLE_SEGMENTS = 100;
    private static final int PROBE_SEGMENTS = 50;

    private final LossFloor floor;
    private double lost;
    private double total;
    private double cruiseLost;
    private double cruiseTotal;
    private double probeLost;
    private double probeTotal;
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
        double excess = excess(lost, total, expected());
        lost = 0;
        total = 0;
        excessiveSamples = excess > 0 ? excessiveSamples + 1 : 0;
        return excessiveSamples >= 2 || excess > SEVERE_MARGIN;
    }

    private double expected() {
        return Math.min(floor.share(), floor.reducedShare());
    }

    /** Returns {@code true} if the losses of one round exceed the expected losses. */
    boolean isRoundExcessive(double lostSegments, double totalSegments) {
        return totalSegments > 0 && excess(lostSegments, totalSegments, expected()) > 0;
    }

    /** Returns {@code true} if the losses of one round exceed the expected losses by a large margin. */
    boolean isRoundSevere(double lostSegments, double totalSegments) {
        return totalSegments > 0 && excess(lostSegments, totalSegments, expected()) > SEVERE_MARGIN;
    }

    /** Adds the segments of a round that were sent above the estimated bandwidth. */
    void addWhileProbing(double lostSegments, double totalSegments) {
        probeLost += lostSegments;
        probeTotal += totalSegments;
    }

    /** Returns {@code true} if enough segments were sent above the estimated bandwidth to judge their losses. */
    boolean hasProbeSample() {
        return probeTotal >= PROBE_SEGMENTS && floor.isReducedShareKnown();
    }

    /**
     * Returns {@code true} if the losses of segments sent above the estimated bandwidth exceed the expected losses, and starts a new
     * sample. Few segments may have been sent at a reduced rate, so that the expected losses are uncertain, too.
     */
    boolean takeProbeExcess() {
        double expected = expected();
        double deviation = Math.sqrt(expected * (1 - expected) * (1 / probeTotal + 1 / floor.reducedSegments()));
        boolean excessive = probeLost / probeTotal - expected > PROBE_DEVIATIONS * deviation + MARGIN;
        probeLost = 0;
        probeTotal = 0;
        return excessive;
    }

    /** Discards all samples, because the losses were caused by an interruption of the path. */
    void clear() {
        lost = 0;
        total = 0;
        cruiseLost = 0;
        cruiseTotal = 0;
        probeLost = 0;
        probeTotal = 0;
        excessiveSamples = 0;
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

package io.kcp.core.internal.congestion;

/**
 * Detects that the bottleneck drops segments of short transfers because they are sent faster than its queue can take. A short queue is too
 * short to show in the round-trip times.
 *
 * <p>Such losses disappear at a lower pace, but random losses do not. The losses of transfers at the estimated bandwidth are therefore
 * counted separately.
 */
final class FlightLosses {

    private static final int SAMPLE_SEGMENTS = 200;
    private static final int CALM_SEGMENTS = 100;
    private static final int CALM_HORIZON_SEGMENTS = 400;
    private static final double DEVIATIONS = 2;
    private static final double MARGIN = 0.02;

    private double lost;
    private double total;
    private double calmLost;
    private double calmTotal;

    /**
     * Adds a round of short transfers. Returns {@code true} if the sample is complete and exceeds the losses that do not depend on the
     * pace.
     *
     * @param lostSegments  the lost segments
     * @param totalSegments the lost and the delivered segments
     * @param floorShare    the share of segments that the path loses without congestion, as far as it is known
     * @param calm          {@code true} if the transfers were not sent faster than the estimated bandwidth
     */
    boolean isExcessive(double lostSegments, double totalSegments, double floorShare, boolean calm) {
        if (calm) {
            calmLost += lostSegments;
            calmTotal += totalSegments;
            if (calmTotal > CALM_HORIZON_SEGMENTS) {
                calmLost /= 2;
                calmTotal /= 2;
            }
        }
        lost += lostSegments;
        total += totalSegments;
        if (total < SAMPLE_SEGMENTS) {
            return false;
        }
        double share = lost / total;
        double deviation = Math.sqrt(share * (1 - share) / total);
        lost = 0;
        total = 0;
        double expected = Math.max(floorShare, isCalmKnown() ? calmLost / calmTotal : 0);
        return share - expected - DEVIATIONS * deviation > MARGIN;
    }

    /** Returns {@code true} if enough segments were sent at the estimated bandwidth to know the losses that do not depend on the pace. */
    boolean isCalmKnown() {
        return calmTotal >= CALM_SEGMENTS;
    }

    /** Discards all samples, because the path may have changed. */
    void clear() {
        lost = 0;
        total = 0;
        calmLost = 0;
        calmTotal = 0;
    }
}

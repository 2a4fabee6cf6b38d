package io.kcp.core.internal.congestion;

/**
 * Estimates the share of segments that the path loses although it has no queue. Such losses are not a sign of congestion. The estimate
 * covers roughly the latest {@value #HORIZON_SEGMENTS} segments that were sent while the queue was empty.
 *
 * <p>A policer also drops segments without a queue. It drops more segments at a higher rate. The estimate is therefore limited to slightly
 * more than the share that is lost at a reduced rate.
 */
final class LossFloor {

    static final int HORIZON_SEGMENTS = 2_000;
    private static final int REDUCED_HORIZON_SEGMENTS = 300;
    private static final int MIN_SEGMENTS = 40;
    private static final double LARGEST = 0.5;
    private static final double REDUCED_FACTOR = 1.1;
    private static final double REDUCED_MARGIN = 0.02;
    private static final double LOSSLESS_SHARE = 0.005;

    private double lost;
    private double total;
    private double reducedLost;
    private double reducedTotal;
    private boolean policed;

    /**
     * Sets whether probes for bandwidth have recently indicated a policer. Its losses then do not raise the estimate above the share that
     * is lost at a reduced rate, because otherwise the sender would compensate for them and keep exceeding the rate of the policer.
     */
    void setPoliced(boolean suspected) {
        policed = suspected;
    }

    /**
     * Adds the segments of a round without a queue.
     *
     * @param lostSegments  the lost segments
     * @param totalSegments the lost and the delivered segments
     * @param reducedRate   {@code true} if they were sent below the estimated bandwidth
     */
    void add(double lostSegments, double totalSegments, boolean reducedRate) {
        lost += lostSegments;
        total += totalSegments;
        if (total > HORIZON_SEGMENTS) {
            lost /= 2;
            total /= 2;
        }
        if (reducedRate) {
            reducedLost += lostSegments;
            reducedTotal += totalSegments;
            if (reducedTotal > REDUCED_HORIZON_SEGMENTS) {
                reducedLost /= 2;
                reducedTotal /= 2;
            }
        }
    }

    /** Returns the estimate, from 0 to 0.5. It is 0 until enough segments were counted. */
    double share() {
        if (total < MIN_SEGMENTS) {
            return 0;
        }
        // If the path loses almost none of many segments sent at a reduced rate, its other losses depend on the rate.
        boolean lossless = reducedTotal >= REDUCED_HORIZON_SEGMENTS / 2 && reducedShare() < LOSSLESS_SHARE;
        double margin = lossless || policed && isReducedShareKnown() ? 0 : REDUCED_MARGIN;
        return Math.min(Math.min(lost / total, reducedShare() * REDUCED_FACTOR + margin), LARGEST);
    }

    /** Returns the share of segments that is lost without a queue, regardless of the share at a reduced rate. It is 0 until it is known. */
    double measuredShare() {
        return total < MIN_SEGMENTS ? 0 : lost / total;
    }

    boolean isReducedShareKnown() {
        return reducedTotal >= MIN_SEGMENTS;
    }

    /** Returns the number of segments on which {@link #reducedShare} is based. */
    double reducedSegments() {
        return reducedTotal;
    }

    /** Returns the share of segments that is lost at a reduced rate, or 1 until enough segments were counted. */
    double reducedShare() {
        return isReducedShareKnown() ? reducedLost / reducedTotal : 1;
    }
}

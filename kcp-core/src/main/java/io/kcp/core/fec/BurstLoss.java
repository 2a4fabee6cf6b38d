package io.kcp.core.fec;

/**
 * Estimates the two parameters of a path whose losses come in bursts (the Gilbert model): the share of datagrams that are lost, and the
 * mean number of datagrams that are lost in a row. The rate is an average over about the latest 1,500 datagrams, or up to 6,000 if bursts
 * are rare. The length is an average over about 48 bursts.
 *
 * <p>Only a part of each group is observed, and a burst is observed only if it ends within that part. The rate at which bursts end does not
 * depend on their length, so it needs no correction. Long bursts are observed less often, so the mean length is computed from the observed
 * mean with the formula for a geometric distribution without its longest values. If no burst ends in a time in which
 * {@value #EXPECTED_BURSTS} ends were expected, the rate is halved.
 */
final class BurstLoss {

    /** Number of observed pairs of consecutive shards at which the counts are halved. */
    private static final int MAX_PAIRS = 2_048;
    /** Number of observed pairs at which the counts are halved while they contain few ends of bursts. */
    private static final int MAX_PAIRS_BETWEEN_RARE_ENDS = 8_192;
    private static final int MIN_RARE_ENDS = 3;
    private static final int MAX_RARE_ENDS = 32;
    /** Minimum number of observed pairs for an estimate. */
    private static final int MIN_PAIRS = 256;
    /** Number of observed bursts at which the counts of bursts are halved. */
    private static final int MAX_BURSTS = 64;
    /** Number of bursts of one datagram that are assumed before the first burst is observed. */
    private static final int ASSUMED_BURSTS = 2;
    /** Number of bursts that would be expected in a time without bursts after which the path must have improved. */
    private static final int EXPECTED_BURSTS = 8;
    private static final double MAX_LOSS = 0.9;
    /** Maximum probability that a datagram is lost after a lost datagram, which limits the mean burst to 20 datagrams. */
    private static final double MAX_REPETITION = 0.95;
    /** Maximum of the mean burst relative to the mean limit, because much longer bursts cannot be told apart. */
    private static final double MAX_MEAN_PER_LIMIT = 2;
    private static final int BISECTIONS = 20;

    private double pairs;
    private double ends;
    private double pairsSinceEnd;
    private double bursts = ASSUMED_BURSTS;
    private double burstDatagrams = ASSUMED_BURSTS;
    private double limits;
    private boolean known;
    private double loss;
    private double meanBurst = 1;

    /** Creates an estimate without observations for groups with a number of data shards. */
    BurstLoss(int dataShards) {
        limits = (double) ASSUMED_BURSTS * dataShards;
    }

    /**
     * Adds the observed part of a group.
     *
     * @param newPairs number of observed pairs of consecutive shards, up to the end of the first burst
     * @param newEnds  1 if the part contains the end of a burst, otherwise 0
     */
    void add(int newPairs, int newEnds) {
        pairs += newPairs;
        ends += newEnds;
        pairsSinceEnd = newEnds > 0 ? 0 : pairsSinceEnd + newPairs;
        boolean rare = ends > MIN_RARE_ENDS && ends < MAX_RARE_ENDS;
        if (pairs > (rare ? MAX_PAIRS_BETWEEN_RARE_ENDS : MAX_PAIRS)) {
            pairs /= 2;
            ends /= 2;
        }
    }

    /**
     * Adds an observed burst.
     *
     * @param length number of lost shards
     * @param limit  number of lost shards above which the burst would not have been observed; a burst with a limit of 1 reveals nothing
     */
    void addBurst(int length, int limit) {
        if (limit < 2) {
            return;
        }
        bursts++;
        burstDatagrams += length;
        limits += limit;
        if (bursts > MAX_BURSTS) {
            bursts /= 2;
            burstDatagrams /= 2;
            limits /= 2;
        }
    }

    /** Updates {@link #loss} and {@link #meanBurst} from the observations, unless there are too few. */
    void update() {
        if (pairs < MIN_PAIRS) {
            return;
        }
        known = true;
        if (pairsSinceEnd * ends > EXPECTED_BURSTS * pairs) {
            ends /= 2;
        }
        double endRate = ends / pairs;
        // If losses are independent, the mean burst exceeds one datagram by the chance that the next datagram is lost as well.
        double meanLimit = limits / bursts;
        meanBurst = Math.min(1 / (1 - repetition(burstDatagrams / bursts, meanLimit)), MAX_MEAN_PER_LIMIT * meanLimit);
        loss = Math.min(endRate * meanBurst, MAX_LOSS);
    }

    /** Replaces the estimate by independent losses at a rate. */
    void setIndependent(double newLoss) {
        known = true;
        loss = Math.min(newLoss, MAX_LOSS);
        meanBurst = 1 / (1 - loss);
    }

    /** Returns {@code true} once the loss has been estimated. */
    boolean isKnown() {
        return known;
    }

    /** Returns the share of datagrams that are lost. */
    double loss() {
        return loss;
    }

    /** Returns the mean number of datagrams that are lost in a row. */
    double meanBurst() {
        return meanBurst;
    }

    /** Returns the probability of another loss after a loss for which bursts of at most {@code limit} datagrams have the given mean. */
    private static double repetition(double observedMean, double limit) {
        double low = 0;
        double high = MAX_REPETITION;
        for (int i = 0; i < BISECTIONS; i++) {
            double middle = (low + high) / 2;
            double longer = Math.pow(middle, limit);
            if (1 / (1 - middle) - limit * longer / (1 - longer) < observedMean) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return low;
    }
}

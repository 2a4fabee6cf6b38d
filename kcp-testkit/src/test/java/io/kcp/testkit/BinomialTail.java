package io.kcp.testkit;

/**
 * Tails of the binomial distribution, with which a test judges how many of its runs may miss a limit. A test that accepts the numbers of
 * this class fails a program whose true share of misses is as expected at most once in 1,000 executions.
 */
final class BinomialTail {

    /** Maximum probability with which a program that has the expected share of misses fails. */
    static final double MAX_FALSE_ALARM = 0.001;

    private BinomialTail() {
    }

    /** Returns the probability that at least {@code successes} of {@code runs} independent runs with probability {@code share} succeed. */
    static double atLeast(long successes, long runs, double share) {
        if (successes <= 0) {
            return 1;
        }
        if (successes > runs || share <= 0) {
            return 0;
        }
        if (share >= 1) {
            return 1;
        }
        // Logarithms, because the probability of each single count may be smaller than the smallest double.
        double logProbability = runs * Math.log1p(-share);
        double logOdds = Math.log(share) - Math.log1p(-share);
        double tail = 0;
        for (long count = 1; count <= runs; count++) {
            logProbability += Math.log((double) (runs - count + 1) / count) + logOdds;
            tail += count >= successes ? Math.exp(logProbability) : 0;
        }
        return Math.min(tail, 1);
    }

    /** Returns the largest number of misses that {@code runs} runs may have if {@code share} of all runs miss a limit. */
    static long mostMisses(long runs, double share) {
        long misses = (long) (runs * share);
        while (misses < runs && atLeast(misses + 1, runs, share) > MAX_FALSE_ALARM) {
            misses++;
        }
        return misses;
    }

    /** Returns the smallest number of misses that {@code runs} runs may have if {@code share} of all runs miss a limit. */
    static long fewestMisses(long runs, double share) {
        long misses = 0;
        while (misses < runs && 1 - atLeast(misses + 1, runs, share) <= MAX_FALSE_ALARM) {
            misses++;
        }
        return misses;
    }
}

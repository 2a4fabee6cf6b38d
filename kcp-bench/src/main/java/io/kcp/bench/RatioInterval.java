package io.kcp.bench;

import java.util.List;
import org.apache.commons.math3.distribution.TDistribution;
import org.apache.commons.math3.stat.descriptive.SummaryStatistics;

/**
 * The geometric mean of ratios and its 95 % confidence interval, by Student's t distribution over their logarithms.
 *
 * @param mean  geometric mean
 * @param lower lower end of the interval
 * @param upper upper end of the interval
 */
record RatioInterval(double mean, double lower, double upper) {

    private static final double ONE_SIDED = 0.975;

    /** Computes the interval of at least two positive ratios. */
    static RatioInterval of(List<Double> ratios) {
        if (ratios.size() < 2) {
            throw new IllegalArgumentException("ratios: " + ratios.size() + " (expected: at least 2)");
        }
        SummaryStatistics logarithms = new SummaryStatistics();
        ratios.forEach(ratio -> logarithms.addValue(Math.log(ratio)));
        double quantile = new TDistribution(ratios.size() - 1).inverseCumulativeProbability(ONE_SIDED);
        double half = quantile * logarithms.getStandardDeviation() / Math.sqrt(ratios.size());
        double mean = logarithms.getMean();
        return new RatioInterval(Math.exp(mean), Math.exp(mean - half), Math.exp(mean + half));
    }
}

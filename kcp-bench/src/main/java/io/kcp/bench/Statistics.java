package io.kcp.bench;

import java.util.Arrays;
import java.util.List;
import org.apache.commons.math3.distribution.TDistribution;
import org.apache.commons.math3.stat.descriptive.SummaryStatistics;

/** Statistics of repeated benchmark runs. */
final class Statistics {

    private Statistics() {
    }

    /** Returns the median. Missing values (NaN) count as larger than all others, so the median may be missing too. */
    static double median(double... values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return (sorted[(sorted.length - 1) / 2] + sorted[sorted.length / 2]) / 2;
    }

    /**
     * Geometric mean of ratios and its 95 % confidence interval. The interval is computed from the logarithms of the ratios with Student's
     * t-distribution.
     *
     * @param mean  geometric mean
     * @param lower lower end of the interval
     * @param upper upper end of the interval
     */
    record RatioInterval(double mean, double lower, double upper) {

        private static final double UPPER_QUANTILE = 0.975;

        /** Computes the mean and the interval of at least two positive ratios. */
        static RatioInterval of(List<Double> ratios) {
            if (ratios.size() < 2) {
                throw new IllegalArgumentException("ratios: " + ratios.size() + " (expected: at least 2)");
            }
            SummaryStatistics logarithms = new SummaryStatistics();
            ratios.forEach(ratio -> logarithms.addValue(Math.log(ratio)));
            double quantile = new TDistribution(ratios.size() - 1).inverseCumulativeProbability(UPPER_QUANTILE);
            double half = quantile * logarithms.getStandardDeviation() / Math.sqrt(ratios.size());
            double mean = logarithms.getMean();
            return new RatioInterval(Math.exp(mean), Math.exp(mean - half), Math.exp(mean + half));
        }
    }
}

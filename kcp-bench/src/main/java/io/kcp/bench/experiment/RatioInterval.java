package io.kcp.bench.experiment;

import java.util.List;
import java.util.Locale;
import org.apache.commons.math3.distribution.TDistribution;
import org.apache.commons.math3.stat.descriptive.SummaryStatistics;

/**
 * Geometric mean of ratios and its confidence interval. The interval is computed from the logarithms of the ratios with Student's
 * t-distribution.
 *
 * @param mean  geometric mean
 * @param lower lower end of the interval
 * @param upper upper end of the interval
 */
record RatioInterval(double mean, double lower, double upper) {

    static final double CONFIDENCE = 0.95;

    /** Computes the mean and the 95 % interval of at least two positive ratios. */
    static RatioInterval of(List<Double> ratios) {
        return of(ratios, CONFIDENCE);
    }

    /** Computes the mean and the interval of at least two positive ratios. */
    static RatioInterval of(List<Double> ratios, double confidence) {
        if (ratios.size() < 2) {
            throw new IllegalArgumentException("ratios: " + ratios.size() + " (expected: at least 2)");
        }
        SummaryStatistics logarithms = new SummaryStatistics();
        ratios.forEach(ratio -> logarithms.addValue(Math.log(ratio)));
        double quantile = new TDistribution(ratios.size() - 1).inverseCumulativeProbability((1 + confidence) / 2);
        double half = quantile * logarithms.getStandardDeviation() / Math.sqrt(ratios.size());
        double mean = logarithms.getMean();
        return new RatioInterval(Math.exp(mean), Math.exp(mean - half), Math.exp(mean + half));
    }

    /** Returns the mean and the interval with three decimal places. */
    @Override
    public String toString() {
        return String.format(Locale.ROOT, "%.3f (%.3f to %.3f)", mean, lower, upper);
    }
}

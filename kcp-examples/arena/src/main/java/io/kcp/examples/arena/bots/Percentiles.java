package io.kcp.examples.arena.bots;

import org.HdrHistogram.Histogram;

/**
 * How long something took, in milliseconds.
 *
 * @param count how often it was measured
 * @param p50   half of them took less
 * @param p90   nine of ten took less
 * @param p99   99 of a hundred took less
 * @param max   none took more
 */
public record Percentiles(long count, double p50, double p90, double p99, double max) {

    static Percentiles of(Histogram nanos) {
        return new Percentiles(nanos.getTotalCount(), millis(nanos.getValueAtPercentile(50)), millis(nanos.getValueAtPercentile(90)),
            millis(nanos.getValueAtPercentile(99)), millis(nanos.getMaxValue()));
    }

    private static double millis(long nanos) {
        return Math.round(nanos / 1e4) / 100.0;
    }

    @Override
    public String toString() {
        return count == 0 ? "none" : "p50 " + p50 + ", p90 " + p90 + ", p99 " + p99 + ", max " + max + " ms of " + count;
    }
}

package io.kcp.interop.peer;

import org.HdrHistogram.AtomicHistogram;
import org.HdrHistogram.Histogram;

/** Histogram of delays in nanoseconds. Any thread may record delays. */
final class Delays {

    private static final long LONGEST_NS = 600_000_000_000L;
    private static final int DIGITS = 3;
    private static final double NS_PER_US = 1000;

    private final Histogram histogram = new AtomicHistogram(LONGEST_NS, DIGITS);

    void record(long ns) {
        histogram.recordValue(Math.min(Math.max(ns, 0), LONGEST_NS));
    }

    long count() {
        return histogram.getTotalCount();
    }

    double us(double percentile) {
        return count() == 0 ? 0 : histogram.getValueAtPercentile(percentile) / NS_PER_US;
    }

    double meanUs() {
        return histogram.getMean() / NS_PER_US;
    }

    double maxUs() {
        return histogram.getMaxValue() / NS_PER_US;
    }
}

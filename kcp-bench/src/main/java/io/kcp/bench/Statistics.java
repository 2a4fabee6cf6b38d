package io.kcp.bench;

import java.util.Arrays;

/** Statistics of repeated benchmark runs. */
public final class Statistics {

    private Statistics() {
    }

    /** Returns the median. Missing values (NaN) count as larger than all others, so the median may be missing too. */
    public static double median(double... values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return (sorted[(sorted.length - 1) / 2] + sorted[sorted.length / 2]) / 2;
    }
}

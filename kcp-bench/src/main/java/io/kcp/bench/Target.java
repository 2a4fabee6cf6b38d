package io.kcp.bench;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Target for one metric of one contender. The target limits either the metric's value or the ratio of this value to the best value of other
 * contenders.
 *
 * @param metric  the metric
 * @param whose   name of the contender
 * @param atLeast {@code true} for a lower bound, {@code false} for an upper bound
 * @param wanted  the bound of the value, or of the ratio if {@code against} is not empty
 * @param against names of the contenders to compare with
 */
record Target(Metric metric, String whose, boolean atLeast, double wanted, List<String> against) {

    /**
     * Result of comparing a target with the measured medians, as stored in results files.
     *
     * @param wanted  the target as text
     * @param best    the best of the other contenders, or empty
     * @param value   the value or ratio, null if a median is missing
     * @param reached null if a median is missing
     */
    record Outcome(Metric metric, String whose, String wanted, String best, @Nullable Double value, boolean isRatio,
        @Nullable Boolean reached) {

        /** Returns the measured value as text, for example {@code 4.20× kcp-go}. */
        String measured() {
            return value == null ? "" : Metric.format(value) + (isRatio ? "× " + best : "");
        }
    }

    static Target atLeast(double wanted, Metric metric, String... against) {
        return new Target(metric, Scenarios.OURS, true, wanted, List.of(against));
    }

    static Target atMost(double wanted, Metric metric, String... against) {
        return new Target(metric, Scenarios.OURS, false, wanted, List.of(against));
    }

    Target of(String contender) {
        return new Target(metric, contender, atLeast, wanted, against);
    }

    /** Compares the medians of all contenders with the target. */
    Outcome evaluate(Map<String, Map<Metric, Double>> medians) {
        String best = "";
        double bestMedian = Double.NaN;
        for (String other : against) {
            double median = median(medians, other);
            if (Double.isNaN(bestMedian) || (metric.higherIsBetter() ? median > bestMedian : median < bestMedian)) {
                best = other;
                bestMedian = median;
            }
        }
        double value = against.isEmpty() ? median(medians, whose) : median(medians, whose) / bestMedian;
        return Double.isNaN(value) ? new Outcome(metric, whose, text(), "", null, !against.isEmpty(), null)
            : new Outcome(metric, whose, text(), best, value, !against.isEmpty(), atLeast ? value >= wanted : value <= wanted);
    }

    private double median(Map<String, Map<Metric, Double>> medians, String contender) {
        return medians.getOrDefault(contender, Map.of()).getOrDefault(metric, Double.NaN);
    }

    /** Returns the target as text, for example {@code ≥ 4× kcp-go}. */
    String text() {
        String bound = (atLeast ? "≥ " : "≤ ") + (wanted == Math.rint(wanted) ? String.format(Locale.ROOT, "%,d", (long) wanted)
            : Double.toString(wanted));
        return against.isEmpty() ? bound : bound + "× " + String.join(" or ", against);
    }
}

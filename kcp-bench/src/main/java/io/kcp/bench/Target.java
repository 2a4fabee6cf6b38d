package io.kcp.bench;

import java.util.Collections;
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
 * @param or      another target for the same metric, which may be reached instead of this one, or null
 */
record Target(Metric metric, String whose, boolean atLeast, double wanted, List<String> against, @Nullable Target or) {

    /**
     * Result of comparing a target with the measured medians, as stored in results files.
     *
     * @param wanted  the target as text
     * @param best    the best of the other contenders, or empty
     * @param value   the value or ratio, null if a median is missing
     * @param reached null if a median is missing
     * @param rounds  the value or ratio of each round in which it is known, or null in old files
     */
    record Outcome(Metric metric, String whose, String wanted, String best, @Nullable Double value, boolean isRatio,
        @Nullable Boolean reached, @Nullable List<Double> rounds) {

        /** Returns the measured value and the range of the rounds as text, for example {@code 4.20 (3.90–4.40)× kcp-go}. */
        String measured() {
            return value == null ? "" : Metric.format(value) + range() + (isRatio ? "× " + best : "");
        }

        private String range() {
            return rounds == null || rounds.size() < 2 ? ""
                : " (" + Metric.format(Collections.min(rounds)) + '–' + Metric.format(Collections.max(rounds)) + ')';
        }
    }

    static Target atLeast(double wanted, Metric metric, String... against) {
        return new Target(metric, Scenarios.OURS, true, wanted, List.of(against), null);
    }

    static Target atMost(double wanted, Metric metric, String... against) {
        return new Target(metric, Scenarios.OURS, false, wanted, List.of(against), null);
    }

    Target of(String contender) {
        return new Target(metric, contender, atLeast, wanted, against, or == null ? null : or.of(contender));
    }

    /** Returns a target that is reached if this or another target for the same metric is reached. */
    Target or(Target other) {
        return new Target(metric, whose, atLeast, wanted, against, other);
    }

    /** Compares the medians of all contenders with the target. */
    Outcome evaluate(Map<String, Map<Metric, Double>> medians) {
        return evaluate(medians, List.of());
    }

    /**
     * Compares the medians of all contenders with the target.
     *
     * @param rounds the metrics of all contenders in each round, from which the range of the value is computed
     */
    Outcome evaluate(Map<String, Map<Metric, Double>> medians, List<Map<String, Map<Metric, Double>>> rounds) {
        Outcome own = evaluateThis(medians, rounds);
        if (or == null || Boolean.TRUE.equals(own.reached)) {
            return own;
        }
        Outcome other = or.evaluate(medians, rounds);
        Outcome decisive = Boolean.TRUE.equals(other.reached) || own.reached == null ? other : own;
        return new Outcome(metric, whose, text(), decisive.best, decisive.value, decisive.isRatio, decisive.reached, decisive.rounds);
    }

    private Outcome evaluateThis(Map<String, Map<Metric, Double>> medians, List<Map<String, Map<Metric, Double>>> rounds) {
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
        if (Double.isNaN(value)) {
            return new Outcome(metric, whose, text(), "", null, !against.isEmpty(), null, List.of());
        }
        String other = best;
        List<Double> values = rounds.stream().map(round -> median(round, whose) / (against.isEmpty() ? 1 : median(round, other)))
            .filter(each -> !each.isNaN()).toList();
        return new Outcome(metric, whose, text(), best, value, !against.isEmpty(), atLeast ? value >= wanted : value <= wanted, values);
    }

    private double median(Map<String, Map<Metric, Double>> medians, String contender) {
        return medians.getOrDefault(contender, Map.of()).getOrDefault(metric, Double.NaN);
    }

    /** Returns the target as text, for example {@code ≥ 4× kcp-go}. */
    String text() {
        return or == null ? ownText() : ownText() + " or " + or.text();
    }

    private String ownText() {
        String bound = (atLeast ? "≥ " : "≤ ") + (wanted == Math.rint(wanted) ? String.format(Locale.ROOT, "%,d", (long) wanted)
            : Double.toString(wanted));
        return against.isEmpty() ? bound : bound + "× " + String.join(" or ", against);
    }
}

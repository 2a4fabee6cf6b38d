package io.kcp.bench;

import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What a figure of ours is to reach: at least, or at most, so many times the best of others, or a figure as such.
 *
 * @param metric  the figure
 * @param whose   whose, a contender of the scenario
 * @param atLeast else at most
 * @param wanted  the factor, or the figure if {@code against} is empty
 * @param against contenders, of which the best counts
 */
record Target(Metric metric, String whose, boolean atLeast, double wanted, List<String> against) {

    /** What came of it; {@code value} is the ratio, or the figure, and {@code best} who was the best of the others. */
    record Outcome(Target target, String best, double value) {

        boolean isReached() {
            return target.atLeast ? value >= target.wanted : value <= target.wanted;
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

    /** Compares medians by contender; NaN if a figure is missing. */
    Outcome judge(Map<String, Map<Metric, Double>> medians) {
        double ours = figure(medians, whose);
        if (against.isEmpty()) {
            return new Outcome(this, "", ours);
        }
        String best = "";
        double bestFigure = Double.NaN;
        for (String other : against) {
            double figure = figure(medians, other);
            if (Double.isNaN(bestFigure) || (metric.moreIsBetter() ? figure > bestFigure : figure < bestFigure)) {
                best = other;
                bestFigure = figure;
            }
        }
        return new Outcome(this, Double.isNaN(bestFigure) ? "" : best, ours / bestFigure);
    }

    private double figure(Map<String, Map<Metric, Double>> medians, String contender) {
        return medians.getOrDefault(contender, Map.of()).getOrDefault(metric, Double.NaN);
    }

    /** For people: {@code ≥ 4× kcp-go}. */
    String text() {
        String bound = (atLeast ? "≥ " : "≤ ") + (wanted == Math.rint(wanted) ? String.format(Locale.ROOT, "%,d", (long) wanted)
            : Double.toString(wanted));
        return against.isEmpty() ? bound : bound + "× " + String.join(" or ", against);
    }
}

package io.kcp.bench;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** Results as text for a terminal. */
final class ResultText {

    private ResultText() {
    }

    /** The figures of one run on one line. */
    static String figures(List<Metric> metrics, Map<Metric, Double> figures) {
        return metrics.stream().filter(figures::containsKey)
            .map(metric -> Metric.format(figures.getOrDefault(metric, Double.NaN)) + ' ' + metric.label())
            .collect(Collectors.joining(", "));
    }

    /** A table of medians, and what came of the targets that there are figures for. */
    static String of(ScenarioResult result) {
        Map<String, Map<Metric, Double>> medians = result.medians();
        StringBuilder text = new StringBuilder("\n").append(result.scenario().title()).append('\n');
        text.append(String.format(Locale.ROOT, "  %-20s", "median"));
        medians.keySet().forEach(name -> text.append(String.format(Locale.ROOT, " %15s", name)));
        text.append('\n');
        for (Metric metric : result.scenario().metrics()) {
            text.append(String.format(Locale.ROOT, "  %-20s", metric.label()));
            medians.values().forEach(figures ->
                text.append(String.format(Locale.ROOT, " %15s", Metric.format(figures.getOrDefault(metric, Double.NaN)))));
            text.append('\n');
        }
        result.outcomes().stream().filter(outcome -> !Double.isNaN(outcome.value())).forEach(outcome ->
            text.append("  ").append(line(outcome)).append('\n'));
        result.failures().forEach((name, message) -> text.append("  failed: ").append(name).append(": ").append(message).append('\n'));
        return text.toString();
    }

    private static String line(Target.Outcome outcome) {
        Target target = outcome.target();
        String figure = Metric.format(outcome.value()) + (target.against().isEmpty() ? "" : "× " + outcome.best());
        String verdict = outcome.isReached() ? "reached" : "NOT REACHED";
        return String.format(Locale.ROOT, "target %-20s %-32s %-24s %s", target.metric().label(), target.text(), figure, verdict)
            .stripTrailing();
    }
}

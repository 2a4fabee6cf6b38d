package io.kcp.bench;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** Formats benchmark results for a terminal. */
final class ResultText {

    private ResultText() {
    }

    /** Returns one line with the metrics of a run. */
    static String line(List<Metric> metrics, Map<Metric, Double> values) {
        return metrics.stream().filter(values::containsKey)
            .map(metric -> Metric.format(values.getOrDefault(metric, Double.NaN)) + ' ' + metric.label())
            .collect(Collectors.joining(", "));
    }

    /** Returns a table of medians, then the targets whose medians are known, and then the failures. */
    static String of(ScenarioResult result) {
        Map<String, Map<Metric, Double>> medians = result.medians();
        StringBuilder text = new StringBuilder("\n").append(result.scenario().title()).append('\n');
        append(text, "median", medians.keySet().stream().toList());
        for (Metric metric : result.scenario().metrics()) {
            append(text, metric.label(),
                medians.values().stream().map(values -> Metric.format(values.getOrDefault(metric, Double.NaN))).toList());
        }
        result.outcomes().stream().filter(outcome -> outcome.value() != null).forEach(outcome ->
            text.append(String.format(Locale.ROOT, "  target %-20s %-32s %-24s %s%n", outcome.metric().label(), outcome.wanted(),
                outcome.measured(), Boolean.TRUE.equals(outcome.reached()) ? "reached" : "NOT REACHED")));
        result.failures().forEach((name, message) -> text.append("  failed: ").append(name).append(": ").append(message).append('\n'));
        return text.toString();
    }

    private static void append(StringBuilder text, String head, List<String> cells) {
        text.append(String.format(Locale.ROOT, "  %-20s", head));
        cells.forEach(cell -> text.append(String.format(Locale.ROOT, " %15s", cell)));
        text.append('\n');
    }
}

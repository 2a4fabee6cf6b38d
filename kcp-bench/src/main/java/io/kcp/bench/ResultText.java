package io.kcp.bench;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Formats benchmark results for a terminal. */
final class ResultText {

    private ResultText() {
    }

    /** Returns one line with the metrics of a run. */
    static String line(List<Metric> metrics, Map<Metric, Double> values) {
        Stream<String> cells = metrics.stream().filter(values::containsKey)
            .map(metric -> Metric.format(values.getOrDefault(metric, Double.NaN)) + ' ' + metric.label());
        return Stream.concat(cells, Stream.of(StolenTime.text(values.getOrDefault(Metric.HOST_CPU_PERCENT, Double.NaN))))
            .filter(cell -> !cell.isEmpty()).collect(Collectors.joining(", "));
    }

    /** Returns a table of medians, then the targets whose medians are known, and then the failures. */
    static String of(ScenarioResult result) {
        Map<String, Map<Metric, Double>> medians = result.medians();
        StringBuilder text = new StringBuilder("\n").append(result.scenario().title()).append('\n');
        append(text, "median", medians.keySet().stream().toList());
        result.scenario().metrics().forEach(metric -> append(text, metric, medians));
        if (medians.values().stream().anyMatch(values -> values.containsKey(Metric.HOST_CPU_PERCENT))) {
            append(text, Metric.HOST_CPU_PERCENT, medians);
        }
        if (result.disturbedRuns() > 0) {
            text.append(String.format(Locale.ROOT, "  WARNING: the host took more than %.0f %% of the CPU time in %d of %d runs%n",
                StolenTime.MAX_PERCENT, result.disturbedRuns(), result.runs()));
        }
        result.outcomes().stream().filter(outcome -> outcome.value() != null).forEach(outcome ->
            text.append(String.format(Locale.ROOT, "  target %-20s %-32s %-24s %s%n", outcome.metric().label(), outcome.wanted(),
                outcome.measured(), Boolean.TRUE.equals(outcome.reached()) ? "reached" : "NOT REACHED")));
        result.failures().forEach((name, message) -> text.append("  failed: ").append(name).append(": ").append(message).append('\n'));
        return text.toString();
    }

    private static void append(StringBuilder text, Metric metric, Map<String, Map<Metric, Double>> medians) {
        append(text, metric.label(),
            medians.values().stream().map(values -> Metric.format(values.getOrDefault(metric, Double.NaN))).toList());
    }

    private static void append(StringBuilder text, String head, List<String> cells) {
        text.append(String.format(Locale.ROOT, "  %-20s", head));
        cells.forEach(cell -> text.append(String.format(Locale.ROOT, " %15s", cell)));
        text.append('\n');
    }
}

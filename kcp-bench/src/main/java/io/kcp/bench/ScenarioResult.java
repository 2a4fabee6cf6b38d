package io.kcp.bench;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What came of a scenario: the runs of each contender, and whose failed. */
final class ScenarioResult {

    private final Scenario scenario;
    private final Map<String, List<Map<Metric, Double>>> runs = new LinkedHashMap<>();
    private final Map<String, String> failures = new LinkedHashMap<>();

    ScenarioResult(Scenario scenario) {
        this.scenario = scenario;
    }

    Scenario scenario() {
        return scenario;
    }

    void add(String contender, Map<Metric, Double> figures) {
        runs.computeIfAbsent(contender, any -> new ArrayList<>()).add(figures);
    }

    /** A run that failed; those before it count. */
    void addFailure(String contender, String message) {
        failures.put(contender, message);
    }

    /** Whether a contender has failed and never succeeded. */
    boolean isHopeless(String contender) {
        return failures.containsKey(contender) && !runs.containsKey(contender);
    }

    Map<String, String> failures() {
        return failures;
    }

    /**
     * The median of each figure, by contender. A delay that a run has not, because so much of it was lost, counts as longer
     * than all others: the median may be missing then too.
     */
    Map<String, Map<Metric, Double>> medians() {
        Map<String, Map<Metric, Double>> medians = new LinkedHashMap<>();
        runs.forEach((contender, figures) -> medians.put(contender, medians(figures)));
        return medians;
    }

    private static Map<Metric, Double> medians(List<Map<Metric, Double>> figures) {
        Set<Metric> metrics = EnumSet.noneOf(Metric.class);
        figures.forEach(run -> metrics.addAll(run.keySet()));
        Map<Metric, Double> medians = new EnumMap<>(Metric.class);
        for (Metric metric : metrics) {
            boolean delay = ScenarioRun.SHARES.containsKey(metric);
            double middle = median(figures.stream().filter(run -> delay || run.containsKey(metric))
                .mapToDouble(run -> run.getOrDefault(metric, Double.POSITIVE_INFINITY)).toArray());
            if (Double.isFinite(middle)) {
                medians.put(metric, middle);
            }
        }
        return medians;
    }

    /** The middle one, or the mean of the two in the middle. */
    static double median(double... values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return (sorted[(sorted.length - 1) / 2] + sorted[sorted.length / 2]) / 2;
    }

    /** What came of the targets; those whose figures are missing too. */
    List<Target.Outcome> outcomes() {
        Map<String, Map<Metric, Double>> medians = medians();
        return scenario.targets().stream().map(target -> target.judge(medians)).toList();
    }

    /** For results files. */
    Map<String, @Nullable Object> toJson() {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("name", scenario.name());
        json.put("title", scenario.title());
        json.put("layers", scenario.layers().toString());
        json.put("metrics", scenario.metrics().stream().map(Metric::key).toList());
        Map<String, Map<Metric, Double>> medians = medians();
        List<Object> contenders = new ArrayList<>();
        runs.forEach((name, figures) -> {
            Map<String, Object> contender = new LinkedHashMap<>();
            contender.put("name", name);
            contender.put("median", byKey(medians.getOrDefault(name, Map.of())));
            contender.put("runs", figures.stream().map(ScenarioResult::byKey).toList());
            contenders.add(contender);
        });
        json.put("contenders", contenders);
        json.put("targets", outcomes().stream().map(ScenarioResult::toJson).toList());
        json.put("failures", failures);
        return json;
    }

    private static Map<String, Object> byKey(Map<Metric, Double> figures) {
        Map<String, Object> byKey = new LinkedHashMap<>();
        figures.forEach((metric, value) -> byKey.put(metric.key(), value));
        return byKey;
    }

    private static Map<String, @Nullable Object> toJson(Target.Outcome outcome) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("metric", outcome.target().metric().key());
        json.put("whose", outcome.target().whose());
        json.put("wanted", outcome.target().text());
        json.put("best", outcome.best());
        json.put("value", outcome.value());
        json.put("is_ratio", !outcome.target().against().isEmpty());
        json.put("reached", Double.isNaN(outcome.value()) ? null : outcome.isReached());
        return json;
    }
}

package io.kcp.bench;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Collects the successful and failed runs of one scenario. */
final class ScenarioResult {

    private final Scenario scenario;
    private final Map<String, List<Map<Metric, Double>>> runs = new LinkedHashMap<>();
    private final Map<Integer, Map<String, Map<Metric, Double>>> rounds = new TreeMap<>();
    private final Map<String, String> failures = new LinkedHashMap<>();

    ScenarioResult(Scenario scenario) {
        this.scenario = scenario;
    }

    Scenario scenario() {
        return scenario;
    }

    void add(String contender, int round, Map<Metric, Double> metrics) {
        rounds.computeIfAbsent(round, any -> new LinkedHashMap<>()).put(contender, metrics);
        runs.computeIfAbsent(contender, any -> new ArrayList<>()).add(metrics);
    }

    /** Records that a run has failed. Earlier runs of the contender still count. */
    void addFailure(String contender, String message) {
        failures.put(contender, message);
    }

    /** Returns {@code true} if a contender has failed without a single successful run. */
    boolean hasOnlyFailed(String contender) {
        return failures.containsKey(contender) && !runs.containsKey(contender);
    }

    /** Returns the number of successful runs of all contenders. */
    long runs() {
        return runs.values().stream().mapToInt(List::size).sum();
    }

    /** Returns the number of successful runs in which the host took too much CPU time. */
    long disturbedRuns() {
        return runs.values().stream().flatMap(List::stream)
            .filter(metrics -> metrics.getOrDefault(Metric.HOST_CPU_PERCENT, 0.0) > StolenTime.MAX_PERCENT).count();
    }

    Map<String, String> failures() {
        return failures;
    }

    /**
     * Returns, for each contender, the median of each metric. A delay that a run lacks, because too many messages were lost, counts as
     * longer than all others. If half of the runs lack it, the median is missing too.
     */
    Map<String, Map<Metric, Double>> medians() {
        Map<String, Map<Metric, Double>> medians = new LinkedHashMap<>();
        runs.forEach((contender, metrics) -> medians.put(contender, medians(metrics)));
        return medians;
    }

    private static Map<Metric, Double> medians(List<Map<Metric, Double>> runs) {
        Set<Metric> metrics = EnumSet.noneOf(Metric.class);
        runs.forEach(run -> metrics.addAll(run.keySet()));
        Map<Metric, Double> medians = new EnumMap<>(Metric.class);
        for (Metric metric : metrics) {
            boolean delay = ScenarioRun.QUANTILES.containsKey(metric);
            double median = Statistics.median(runs.stream().filter(run -> delay || run.containsKey(metric))
                .mapToDouble(run -> run.getOrDefault(metric, Double.NaN)).toArray());
            if (Double.isFinite(median)) {
                medians.put(metric, median);
            }
        }
        return medians;
    }

    /** Compares the medians with all targets and returns the outcomes. */
    List<Target.Outcome> outcomes() {
        Map<String, Map<Metric, Double>> medians = medians();
        return scenario.targets().stream().map(target -> target.evaluate(medians, List.copyOf(rounds.values()))).toList();
    }

    /** Converts the result to the format of results files. */
    ResultsFile.Measured toFile() {
        Map<String, Map<Metric, Double>> medians = medians();
        List<ResultsFile.Runs> contenders = new ArrayList<>();
        runs.forEach((name, metrics) -> contenders.add(new ResultsFile.Runs(name, medians.getOrDefault(name, Map.of()), metrics)));
        return new ResultsFile.Measured(scenario.name(), scenario.title(), scenario.layers().toString(), scenario.metrics(), contenders,
            outcomes(), failures);
    }
}

package io.kcp.bench.experiment;

import io.kcp.bench.Statistics;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Successful and failed runs of all cells of an experiment. */
final class Results {

    /**
     * One successful run.
     *
     * @param stealPercent share of the CPU time that the host took, or NaN
     */
    record Run(int round, double stealPercent, Map<Metric, Double> values) {

        double value(Metric metric) {
            return values.getOrDefault(metric, Double.NaN);
        }
    }

    private final Map<Cell, List<Run>> runs = new LinkedHashMap<>();
    private final Map<Cell, String> failures = new LinkedHashMap<>();

    /** Adds a cell without runs. The order of the cells is that of the summary. */
    void add(Cell cell) {
        runs.computeIfAbsent(cell, any -> new ArrayList<>());
    }

    void add(Cell cell, Run run) {
        runs.computeIfAbsent(cell, any -> new ArrayList<>()).add(run);
    }

    /** Records that a run has failed. Other runs of the cell still count. */
    void addFailure(Cell cell, String message) {
        add(cell);
        failures.put(cell, message);
    }

    List<Run> runs(Cell cell) {
        return runs.getOrDefault(cell, List.of());
    }

    Stream<Run> allRuns() {
        return runs.values().stream().flatMap(Collection::stream);
    }

    /** Returns the last error message of each cell that has failed. */
    Map<Cell, String> failures() {
        return failures;
    }

    /** Returns {@code true} if a cell has failed without a single successful run. */
    boolean hasOnlyFailed(Cell cell) {
        return failures.containsKey(cell) && runs(cell).isEmpty();
    }

    List<String> groups() {
        return runs.keySet().stream().map(Cell::group).distinct().toList();
    }

    List<Cell> cells(String group) {
        return runs.keySet().stream().filter(cell -> cell.group().equals(group)).toList();
    }

    /** Returns the cell of a contender in a group, or null. */
    @Nullable Cell cell(String group, String contender) {
        return cells(group).stream().filter(cell -> cell.contender().equals(contender)).findFirst().orElse(null);
    }

    /**
     * Returns the known values of a metric in ascending order. A delay that a run lacks, because too many messages were lost, is NaN at the
     * end.
     */
    double[] values(Cell cell, Metric metric) {
        boolean isKnown = runs(cell).stream().anyMatch(run -> run.values.containsKey(metric));
        return runs(cell).stream().filter(run -> isKnown && metric.missingIsWorst() || run.values.containsKey(metric))
            .mapToDouble(run -> run.value(metric)).sorted().toArray();
    }

    /** Returns the median of a metric, or NaN if it is unknown or half of the runs lack it. */
    double median(Cell cell, Metric metric) {
        double[] values = values(cell, metric);
        return values.length == 0 ? Double.NaN : Statistics.median(values);
    }

    /**
     * Returns the ratio of two cells in each round in which both have a value. A ratio above 1 means that the first cell is better.
     */
    List<Double> ratios(Cell cell, Cell other, Metric metric) {
        List<Double> ratios = new ArrayList<>();
        for (Run run : runs(cell)) {
            runs(other).stream().filter(against -> against.round == run.round).findFirst().ifPresent(against -> {
                double ratio = run.value(metric) / against.value(metric);
                if (ratio > 0 && Double.isFinite(ratio)) {
                    ratios.add(metric.higherIsBetter() ? ratio : 1 / ratio);
                }
            });
        }
        return ratios;
    }

    /**
     * Returns the cell of a contender, or the best of all settings of a peer if no contender has this name.
     *
     * @return null if none of them has a median
     */
    @Nullable Cell best(String group, String contenderOrPeer, Metric metric) {
        Cell exact = cell(group, contenderOrPeer);
        return (exact != null ? Stream.of(exact) : cells(group).stream().filter(cell -> cell.peer().equals(contenderOrPeer)))
            .filter(cell -> !Double.isNaN(median(cell, metric)))
            .reduce((one, other) -> isBetter(metric, median(other, metric), median(one, metric)) ? other : one).orElse(null);
    }

    static boolean isBetter(Metric metric, double value, double other) {
        return metric.higherIsBetter() ? value > other : value < other;
    }

    /** Returns the first cell of this library in a group, with which the others are compared, or null. */
    @Nullable Cell reference(String group) {
        return cells(group).stream().filter(cell -> Objects.equals(cell.peer(), Peer.OURS)).findFirst().orElse(null);
    }
}

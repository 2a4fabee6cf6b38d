package io.kcp.bench.results;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** All runs of one cell of an experiment. */
final class Selection {

    private static final String HIGHEST = "highest ";
    private static final String LOWEST = "lowest ";

    private final Map<String, String> cell;
    private final List<ResultFile.Run> runs;

    private Selection(Map<String, String> cell, List<ResultFile.Run> runs) {
        this.cell = cell;
        this.runs = runs;
    }

    /** Returns the cells that have all of these entries, in an order that depends only on the cells. */
    static List<Selection> all(ResultFile file, Map<String, String> entries) {
        Map<String, Selection> cells = new TreeMap<>();
        for (ResultFile.Run run : file.runs()) {
            if (run.isOf(entries)) {
                cells.computeIfAbsent(new TreeMap<>(run.cell()).toString(), any -> new Selection(run.cell(), new ArrayList<>()))
                    .runs.add(run);
            }
        }
        return List.copyOf(cells.values());
    }

    /**
     * Returns the only cell that has all of these entries.
     *
     * @param best how to choose among several cells, such as {@code highest mb_s} or {@code lowest p99_us}, or null
     */
    static Selection of(ResultFile file, Map<String, String> entries, @Nullable String best) {
        List<Selection> cells = all(file, entries);
        if (cells.isEmpty()) {
            throw new IllegalArgumentException("no run of " + file.experiment() + " has the cell " + entries);
        }
        if (cells.size() == 1) {
            return cells.get(0);
        }
        if (best == null) {
            throw new IllegalArgumentException("several cells of " + file.experiment() + " have " + entries + ": "
                + cells.stream().map(one -> one.cell).toList() + ". Add entries or the attribute best");
        }
        boolean isHighest = best.startsWith(HIGHEST);
        if (!isHighest && !best.startsWith(LOWEST)) {
            throw new IllegalArgumentException("best must be 'highest METRIC' or 'lowest METRIC', but is " + best);
        }
        String metric = best.substring(best.indexOf(' ') + 1);
        Comparator<Selection> order = Comparator.comparingDouble(one -> one.median(metric));
        return cells.stream().filter(one -> one.has(metric)).max(isHighest ? order : order.reversed()).orElse(cells.get(0));
    }

    Map<String, String> cell() {
        return cell;
    }

    int size() {
        return runs.size();
    }

    long failures() {
        return runs.stream().filter(run -> run.failure() != null).count();
    }

    private boolean has(String metric) {
        return runs.stream().anyMatch(run -> run.metrics().containsKey(metric));
    }

    /**
     * Returns the values of all successful runs in ascending order. A run that lacks the metric counts as infinite, because runs lack a
     * delay if too many messages were lost. If all runs lack it, there are no values.
     */
    double[] values(String metric) {
        Predicate<ResultFile.Run> successful = run -> run.failure() == null;
        double[] values = runs.stream().filter(run -> has(metric)).filter(successful)
            .mapToDouble(run -> run.metrics().getOrDefault(metric, Double.POSITIVE_INFINITY)).toArray();
        Arrays.sort(values);
        return values;
    }

    /** Returns the median, which is infinite if half of the runs lack the metric, and NaN if all runs failed or lack it. */
    double median(String metric) {
        double[] values = values(metric);
        return values.length == 0 ? Double.NaN : (values[(values.length - 1) / 2] + values[values.length / 2]) / 2;
    }
}

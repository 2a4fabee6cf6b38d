package io.kcp.bench.experiment;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Formats results for a terminal. */
final class Summary {

    private static final String COMPARED = "ours is (95 % interval)";

    private final Results results;

    Summary(Results results) {
        this.results = results;
    }

    /** Returns one line with the metrics of a run. */
    static String line(Cell cell, Map<Metric, Double> values, double stealPercent) {
        return Stream.concat(cell.metrics().stream().filter(values::containsKey)
            .map(metric -> Metric.format(values.getOrDefault(metric, Double.NaN)) + ' ' + metric.label()),
            Stream.of(StolenTime.text(stealPercent))).filter(text -> !text.isEmpty()).collect(Collectors.joining(", "));
    }

    /** Returns a table of each group with medians and ranges, and then the failures and disturbances. */
    String text() {
        StringBuilder text = new StringBuilder();
        results.groups().forEach(group -> text.append('\n').append(group).append('\n').append(table(group)));
        results.failures().forEach((cell, message) ->
            text.append("FAILED: ").append(cell.group()).append(", ").append(cell.contender()).append(": ").append(message).append('\n'));
        long disturbed = results.allRuns().filter(run -> run.stealPercent() > StolenTime.MAX_PERCENT).count();
        if (disturbed > 0) {
            text.append(String.format(Locale.ROOT, "WARNING: the host took more than %.0f %% of the CPU time in %d of %d runs%n",
                StolenTime.MAX_PERCENT, disturbed, results.allRuns().count()));
        }
        return text.toString();
    }

    private String table(String group) {
        List<Cell> cells = results.cells(group).stream().filter(cell -> !results.runs(cell).isEmpty()).toList();
        List<Metric> metrics = cells.stream().flatMap(cell -> cell.metrics().stream()).distinct()
            .filter(metric -> cells.stream().anyMatch(cell -> results.values(cell, metric).length > 0)).toList();
        List<List<String>> rows = new ArrayList<>();
        rows.add(Stream.of(Stream.of("", "runs"), metrics.stream().map(Metric::label), Stream.of(COMPARED)).flatMap(each -> each)
            .toList());
        for (Cell cell : cells) {
            rows.add(Stream.of(Stream.of(cell.contender() + mark(group, cell), Integer.toString(results.runs(cell).size())),
                metrics.stream().map(metric -> range(cell, metric)), Stream.of(compared(group, cell))).flatMap(each -> each).toList());
        }
        int[] widths = IntStream.range(0, rows.get(0).size())
            .map(column -> rows.stream().mapToInt(row -> row.get(column).length()).max().orElse(0)).toArray();
        return rows.stream().map(row -> "  " + IntStream.range(0, row.size())
            .mapToObj(column -> String.format("%-" + Math.max(1, widths[column]) + 's', row.get(column)))
            .collect(Collectors.joining("  ")).stripTrailing() + '\n').collect(Collectors.joining());
    }

    /** Marks the best of several settings of another peer. */
    private String mark(String group, Cell cell) {
        boolean hasSeveral = results.cells(group).stream().filter(other -> other.peer().equals(cell.peer())).count() > 1;
        return hasSeveral && !cell.peer().equals(Peer.OURS) && !cell.settings().isEmpty()
            && cell.equals(results.best(group, cell.peer(), cell.metrics().get(0))) ? " (best)" : "";
    }

    private String range(Cell cell, Metric metric) {
        double[] values = results.values(cell, metric);
        String median = Metric.format(results.median(cell, metric));
        return values.length < 2 ? median
            : median + " (" + Metric.format(values[0]) + '–' + Metric.format(values[values.length - 1]) + ')';
    }

    /** Returns the ratio of this library to another cell for the first metric, with its interval if there are at least two rounds. */
    private String compared(String group, Cell cell) {
        Cell ours = results.reference(group);
        if (ours == null || ours.equals(cell)) {
            return "";
        }
        List<Double> ratios = results.ratios(ours, cell, cell.metrics().get(0));
        if (ratios.isEmpty()) {
            return "";
        }
        if (ratios.size() == 1) {
            return Metric.format(ratios.get(0)) + " times as good";
        }
        RatioInterval interval = RatioInterval.of(ratios);
        return Metric.format(interval.mean()) + " (" + Metric.format(interval.lower()) + '–' + Metric.format(interval.upper())
            + ") times as good";
    }
}

package io.kcp.bench.results;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;

/** Computes one value of a table from the raw values of its runs. */
final class ValueText {

    private final ResultFile file;
    private final Attributes attributes;
    private final Selection selection;

    /** Selects the runs of the value. */
    ValueText(ResultFile file, Attributes attributes) {
        this.file = file;
        this.attributes = attributes;
        selection = Selection.of(file, attributes.cell(), attributes.best());
        if (attributes.metric().isEmpty()) {
            throw new IllegalArgumentException("the attribute metric is missing");
        }
        for (String metric : attributes.metric()) {
            if (file.runs().stream().noneMatch(run -> run.metrics().containsKey(metric))) {
                throw new IllegalArgumentException("no run of " + file.experiment() + " has the metric " + metric);
            }
        }
    }

    Selection selection() {
        return selection;
    }

    /** Returns the Markdown text. Several metrics are separated by semicolons. */
    String text() {
        if (selection.failures() == selection.size()) {
            return "failed";
        }
        String text = attributes.metric().stream().map(this::text).collect(Collectors.joining("; "));
        String label = attributes.label() == null ? "" : selection.cell().getOrDefault(attributes.label(), "");
        return text + (label.isEmpty() ? "" : ", " + label)
            + (selection.failures() == 0 ? "" : ", " + selection.failures() + " of " + selection.size() + " runs failed");
    }

    private String text(String metric) {
        double[] values = values(metric);
        if (values.length == 0) {
            return format(Double.NaN);
        }
        String suffix = attributes.suffix() == null ? "" : attributes.suffix();
        String median = format(median(metric)) + suffix;
        String lowest = format(values[0]);
        String highest = format(values[values.length - 1]);
        String show = attributes.show() == null ? "median" : attributes.show();
        return switch (show) {
            case "median" -> median;
            case "median (range)" -> values.length == 1 ? median : median + " (" + lowest + "–" + highest + ')';
            case "median (highest)" -> values.length == 1 ? median : median + " (≤ " + highest + ')';
            case "range" -> lowest + "–" + highest + suffix;
            case "highest" -> highest + suffix;
            case "lowest" -> lowest + suffix;
            case "runs" -> Integer.toString(values.length);
            default -> throw new IllegalArgumentException("unknown value of show: " + show);
        };
    }

    private String format(double value) {
        return Numbers.format(value, attributes.decimals());
    }

    /** Returns the values of all runs in the unit of the table, in ascending order. */
    double[] values(String metric) {
        double divisor = divisor(metric);
        return DoubleStream.of(selection.values(metric)).map(value -> value / divisor).toArray();
    }

    /** Returns the median in the unit of the table. */
    double median(String metric) {
        return selection.median(metric) / divisor(metric);
    }

    private double divisor(String metric) {
        double divisor = attributes.divide() == null ? 1 : attributes.divide();
        if (!attributes.ratioTo().isEmpty()) {
            divisor = other(attributes.ratioTo()).median(metric);
        }
        if (attributes.percentOfBest() != null) {
            Map<String, String> others = new LinkedHashMap<>(attributes.cell());
            others.remove(attributes.percentOfBest());
            divisor = Selection.all(file, others).stream().mapToDouble(one -> one.median(metric)).filter(Double::isFinite).max()
                .orElse(Double.NaN) / 100;
        }
        return divisor;
    }

    private Selection other(Map<String, String> entries) {
        return Selection.of(file, attributes.withCell(entries).cell(), attributes.best());
    }
}

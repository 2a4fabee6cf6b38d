package io.kcp.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Data of a chart that the script {@code report.js} draws on the report page with Chart.js.
 *
 * @param kind   {@code bars}, one for each series, or {@code lines} with a logarithmic scale
 * @param title  title of the chart
 * @param unit   unit of the values
 * @param axis   title of the horizontal axis of lines
 * @param labels labels of the points of each line
 * @param max    end of the scale of bars, beyond which bars are cut off; null to show all bars completely
 */
record Chart(String kind, String title, String unit, String axis, List<String> labels, List<Series> series, @Nullable Double max) {

    /** Factor by which the longest bar must exceed the second longest bar to be truncated. */
    private static final double OUTLIER = 4;
    private static final double CUT_AT = 1.5;
    private static final int BAR_PIXELS = 28;
    private static final int LINES_PIXELS = 360;

    /**
     * Values of one contender, shown as one bar or one line of the chart.
     *
     * @param name   the contender
     * @param values the only bar, or the points of a line, with null for each missing point
     * @param texts  the formatted values
     * @param range  for a bar, the lowest and highest value of all runs
     * @param color  index of the color
     * @param style  {@code solid}, {@code dashed} or {@code dotted}
     */
    record Series(String name, List<@Nullable Double> values, List<String> texts, List<Double> range, int color, String style) {

        private static final List<String> PEERS = List.of(Scenarios.OURS, Scenarios.KCP_GO, Scenarios.KCP_NETTY, Scenarios.JAVA_KCP,
            Scenarios.TCP, Scenarios.QUIC, Scenarios.UDP);

        /** Creates a series. A peer has the same color in all charts; with FEC or other options its line is dashed or dotted. */
        static Series of(String name, List<Double> values, List<Double> range) {
            String peer = PEERS.stream().filter(name::startsWith).max((a, b) -> a.length() - b.length()).orElse(Scenarios.OURS);
            String style = name.equals(peer) ? "solid" : name.endsWith("FEC 2:1") ? "dotted" : "dashed";
            List<@Nullable Double> points = new ArrayList<>();
            values.forEach(value -> points.add(Double.isFinite(value) ? value : null));
            return new Series(name, points, values.stream().map(Metric::format).toList(), range, PEERS.indexOf(peer), style);
        }
    }

    /** Creates a bar chart with one bar for each contender for which a median of the metric exists. */
    static Chart bars(ResultsFile.Measured scenario, Metric metric) {
        List<Series> series = scenario.contenders().stream().filter(contender -> contender.median().containsKey(metric)).map(contender -> {
            List<Double> runs = contender.runs().stream().filter(run -> run.containsKey(metric)).map(run -> run.get(metric)).sorted()
                .collect(Collectors.toList());
            double median = contender.median(metric);
            return Series.of(contender.name(), List.of(median),
                runs.isEmpty() ? List.of(median, median) : List.of(runs.get(0), runs.get(runs.size() - 1)));
        }).toList();
        return new Chart("bars", scenario.title(), metric.label(), "", List.of(), series, cutAt(series));
    }

    private static @Nullable Double cutAt(List<Series> series) {
        double[] highest = series.stream().mapToDouble(one -> one.range().get(1)).sorted().toArray();
        if (highest.length < 3) {
            return null;
        }
        double second = highest[highest.length - 2];
        return second > 0 && highest[highest.length - 1] > OUTLIER * second ? CUT_AT * second : null;
    }

    static Chart lines(String title, String unit, String axis, List<String> labels, List<Series> series) {
        return new Chart("lines", title, unit, axis, labels, series, null);
    }

    /** Returns the height of the chart in CSS pixels. */
    int pixels() {
        return kind.equals("bars") ? BAR_PIXELS * (series.size() + 1) : LINES_PIXELS;
    }

    String json() {
        return Json.MAPPER.writeValueAsString(this);
    }
}

package io.kcp.bench.results;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Horizontal bars as an SVG document: a group for each row of a table, and in it a bar for each column. A thin line reaches from the
 * smallest to the largest run.
 */
final class BarChart {

    private static final int WIDTH = 720;
    private static final int LEFT = 250;
    private static final int RIGHT = 90;
    private static final int TOP = 58;
    private static final int BAR = 16;
    private static final int GAP = 12;
    private static final int LEGEND_COLUMN = 110;
    private static final double LEAST_SHARE = 0.005;

    private final ChartSpec chart;
    private final List<Group> groups = new ArrayList<>();

    private record Bar(int column, double median, double lowest, double highest, String text) {
    }

    private record Group(String title, List<Bar> bars) {
    }

    BarChart(ChartSpec chart, Map<String, ResultFile> files) {
        this.chart = chart;
        TableSpec table = chart.table();
        for (TableSpec.Row row : table.rows()) {
            List<Bar> bars = new ArrayList<>();
            for (int i = 0; i < table.columns().size(); i++) {
                if (row.has(table.columns().get(i))) {
                    bars.add(bar(row, i, files));
                }
            }
            groups.add(new Group(String.join(", ", row.titles()), bars));
        }
    }

    private Bar bar(TableSpec.Row row, int index, Map<String, ResultFile> files) {
        TableSpec.Column column = chart.table().columns().get(index);
        Attributes attributes = chart.table().attributes(row, column);
        String metric = attributes.metric().get(0);
        return TableText.value(chart.table(), row, column, files, value -> {
            double[] values = value.values(metric);
            double median = value.median(metric);
            return values.length == 0 ? new Bar(index, Double.NaN, Double.NaN, Double.NaN, value.text())
                : new Bar(index, median, values[0], values[values.length - 1], Numbers.format(median, attributes.decimals()));
        });
    }

    String svg() {
        int bars = groups.stream().mapToInt(group -> group.bars.size()).sum();
        int height = TOP + bars * BAR + groups.size() * GAP + GAP;
        StringBuilder out = new StringBuilder(8_192);
        append(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\" "
            + "font-family=\"sans-serif\" font-size=\"12\"><title>%s</title>", WIDTH, height, WIDTH, height, escape(chart.title()));
        append(out, "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>");
        append(out, "<text x=\"12\" y=\"20\" font-size=\"15\" font-weight=\"bold\">%s</text>",
            escape(chart.title() + ", " + chart.unit() + (chart.isLogarithmic() ? " (logarithmic)" : "")));
        appendLegend(out);
        int y = TOP;
        for (Group group : groups) {
            append(out, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>", LEFT - 8, y + group.bars.size() * BAR / 2.0 + 4,
                escape(group.title));
            for (Bar bar : group.bars) {
                appendBar(out, bar, y);
                y += BAR;
            }
            y += GAP;
        }
        return out.append("</svg>\n").toString();
    }

    private void appendLegend(StringBuilder out) {
        List<TableSpec.Column> columns = chart.table().columns();
        for (int i = 0; i < columns.size(); i++) {
            int x = 12 + i * LEGEND_COLUMN;
            append(out, "<rect x=\"%d\" y=\"32\" width=\"12\" height=\"12\" fill=\"%s\"/><text x=\"%d\" y=\"42\">%s</text>", x, color(i),
                x + 17, escape(columns.get(i).title()));
        }
    }

    private void appendBar(StringBuilder out, Bar bar, int y) {
        if (!Double.isFinite(bar.median)) {
            append(out, "<text x=\"%d\" y=\"%d\">%s</text>", LEFT + 4, y + 12, escape(bar.text));
            return;
        }
        append(out, "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>", LEFT, y + 2, pixels(bar.median), BAR - 4,
            color(bar.column));
        if (Double.isFinite(bar.highest) && bar.highest > bar.lowest) {
            append(out, "<path d=\"M%.1f %dH%.1f\" stroke=\"#222\"/>", LEFT + pixels(bar.lowest), y + BAR / 2, LEFT + pixels(bar.highest));
        }
        double end = LEFT + pixels(Double.isFinite(bar.highest) ? bar.highest : bar.median);
        append(out, "<text x=\"%.1f\" y=\"%d\">%s</text>", end + 6, y + 12, escape(bar.text));
    }

    private double pixels(double value) {
        double max = largest();
        double share = value / max;
        if (chart.isLogarithmic()) {
            double min = smallest() / 2;
            share = Math.log(value / min) / Math.log(max / min);
        }
        return Math.max(LEAST_SHARE, share) * (WIDTH - LEFT - RIGHT);
    }

    private double largest() {
        return groups.stream().flatMap(group -> group.bars.stream()).mapToDouble(bar -> Math.max(bar.median, bar.highest))
            .filter(Double::isFinite).max().orElse(1);
    }

    private double smallest() {
        return groups.stream().flatMap(group -> group.bars.stream()).mapToDouble(Bar::lowest).filter(value -> value > 0).min().orElse(1);
    }

    private static String color(int column) {
        return ChartSpec.COLORS[column % ChartSpec.COLORS.length];
    }

    private static String escape(String text) {
        return LineChart.escape(text);
    }

    private static void append(StringBuilder out, String format, Object... values) {
        LineChart.append(out, format + "%n", values);
    }
}

package io.kcp.bench.results;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Description of a chart, which draws the values of a table. The rows are groups of bars or points of lines, and each column has its own
 * color.
 *
 * @param isBars {@code true} for bars, {@code false} for lines
 * @param unit   title of the values
 * @param axis   title of the horizontal axis of lines, empty for bars
 */
record ChartSpec(TableSpec table, String title, boolean isBars, boolean isLogarithmic, String unit, String axis) {

    /** Colors that people with color blindness can distinguish. */
    static final String[] COLORS = {"#0072b2", "#d55e00", "#009e73", "#aa4499", "#6b7280", "#997700", "#33839c", "#332288"};

    static ChartSpec read(String name, StrictObject object) {
        String title = object.text("title");
        String kind = object.text("kind");
        if (!Set.of("bars", "lines").contains(kind)) {
            throw object.invalid("kind", "must be bars or lines");
        }
        boolean isLogarithmic = object.has("logarithmic") && object.bool("logarithmic");
        String unit = object.text("unit");
        String axis = object.optionalText("axis");
        return new ChartSpec(TableSpec.read(name, object), title, kind.equals("bars"), isLogarithmic, unit, axis == null ? "" : axis);
    }

    /** Returns the SVG document. Its bytes depend only on the description and the files. */
    String svg(Map<String, ResultFile> files) {
        return isBars ? new BarChart(this, files).svg() : lines(files).svg();
    }

    private LineChart lines(Map<String, ResultFile> files) {
        LineChart chart = new LineChart(title, axis, unit, isLogarithmic);
        for (int i = 0; i < table.columns().size(); i++) {
            TableSpec.Column column = table.columns().get(i);
            List<Double> x = new ArrayList<>();
            List<Double> y = new ArrayList<>();
            for (TableSpec.Row row : table.rows()) {
                Double value = median(row, column, files);
                if (value != null) {
                    x.add(Double.valueOf(row.titles().get(0)));
                    y.add(value);
                }
            }
            chart.add(new LineChart.Series(column.title(), COLORS[i % COLORS.length], "", x, y));
        }
        return chart;
    }

    /** Returns the median of a value, or null if it is unknown or the table has no such value. */
    private @Nullable Double median(TableSpec.Row row, TableSpec.Column column, Map<String, ResultFile> files) {
        if (!row.has(column)) {
            return null;
        }
        String metric = table.attributes(row, column).metric().get(0);
        double median = TableText.value(table, row, column, files, value -> value.median(metric));
        return Double.isFinite(median) ? median : null;
    }
}

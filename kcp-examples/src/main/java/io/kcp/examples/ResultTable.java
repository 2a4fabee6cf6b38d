package io.kcp.examples;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Formats the results of all contenders as a table, for the terminal and for the report. */
final class ResultTable {

    static final double LATE_MS = 100;

    static final List<String> HEADINGS = List.of("", "p50", "p90", "p99", "p99.9", "longest", "late", "on the wire");

    static final List<String> LEGEND = List.of(
        "delay: from the time at which the application sent a message to its delivery in order",
        String.format(Locale.ROOT, "late: messages that took more than %.0f ms", LATE_MS),
        "on the wire: IP packets of both directions, lost ones and acknowledgements included");

    private ResultTable() {
    }

    static List<String> row(DemoResult result) {
        DelaySeries delays = result.delays();
        return List.of(result.name(), ms(delays.percentileMs(50)), ms(delays.percentileMs(90)), ms(delays.percentileMs(99)),
            ms(delays.percentileMs(99.9)), ms(delays.maxMs()), String.format(Locale.ROOT, "%.1f %%", delays.percentAbove(LATE_MS)),
            String.format(Locale.ROOT, "%.0f kbit/s", result.wireKilobitsPerSecond()));
    }

    /** Returns the lines of the table. The first column is left-aligned and all other columns are right-aligned. */
    static List<String> lines(List<DemoResult> results) {
        List<List<String>> rows = new ArrayList<>();
        rows.add(HEADINGS);
        results.forEach(result -> rows.add(row(result)));
        List<String> lines = new ArrayList<>();
        for (List<String> row : rows) {
            StringBuilder line = new StringBuilder();
            for (int column = 0; column < row.size(); column++) {
                int width = width(rows, column);
                line.append(String.format(column == 0 ? "%-" + width + "s" : "  %" + width + "s", row.get(column)));
            }
            lines.add(line.toString());
        }
        return lines;
    }

    private static int width(List<List<String>> rows, int column) {
        return rows.stream().mapToInt(row -> row.get(column).length()).max().orElse(1);
    }

    private static String ms(double value) {
        return String.format(Locale.ROOT, "%.0f ms", value);
    }
}

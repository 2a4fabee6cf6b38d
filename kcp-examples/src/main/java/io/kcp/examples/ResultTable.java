package io.kcp.examples;

import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** Formats the results of the demo as a table, both for the terminal and for the HTML report. */
final class ResultTable {

    static final List<String> HEADINGS = List.of("", "p50", "p90", "p99", "p99.9", "longest", "late", "on the wire");

    static final List<String> LEGEND = List.of(
        "delay: from the time at which the application sent a message to its delivery in order",
        "late: messages that took more than 100 ms",
        "on the wire: IP packets in both directions, including lost packets and acknowledgements");

    private static final double LATE_MS = 100;
    private static final String COLUMNS = "  %7s  %7s  %7s  %7s  %7s  %7s  %11s";

    private ResultTable() {
    }

    static List<String> row(DemoResult result) {
        DelaySeries delays = result.delays();
        return List.of(result.name(), ms(delays.percentileMs(50)), ms(delays.percentileMs(90)), ms(delays.percentileMs(99)),
            ms(delays.percentileMs(99.9)), ms(delays.maxMs()), String.format(Locale.ROOT, "%.1f %%", delays.percentAbove(LATE_MS)),
            String.format(Locale.ROOT, "%.0f kbit/s", result.wireKilobitsPerSecond()));
    }

    /** Returns the lines of the table for the terminal. */
    static List<String> lines(List<DemoResult> results) {
        int nameChars = results.stream().mapToInt(result -> result.name().length()).max().orElse(1);
        return Stream.concat(Stream.of(HEADINGS), results.stream().map(ResultTable::row))
            .map(row -> String.format("%-" + nameChars + "s" + COLUMNS, row.toArray())).toList();
    }

    private static String ms(double value) {
        return String.format(Locale.ROOT, "%.0f ms", value);
    }
}

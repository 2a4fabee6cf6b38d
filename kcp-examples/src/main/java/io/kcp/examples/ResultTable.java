package io.kcp.examples;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** The figures of all presets as rows of text; for the terminal and for the report. */
final class ResultTable {

    static final List<String> HEADINGS = List.of("preset", "goodput", "delay mean", "p50", "p99", "longest", "rtt",
        "sent again", "needless", "wire overhead");

    static final List<String> LEGEND = List.of(
        "delay: from a chunk's acceptance by KCP to its delivery in order",
        "sent again: repetitions among the segments sent",
        "needless: repetitions whose earlier copy turned out to have arrived",
        "wire overhead: UDP payload in both directions beyond the bytes of the file");

    private static final long NOTABLE_STALL_MS = 50;

    private ResultTable() {
    }

    static List<String> row(PresetResult result) {
        DelaySeries delays = result.delays();
        return List.of(result.variant().toString(), HumanUnits.rate(result.bytesPerSecond()), ms(delays.meanMs()),
            ms(delays.percentileMs(50)), ms(delays.percentileMs(99)), ms(delays.maxMs()), result.rttMs() + " ms",
            percent(result.repeatedPercent()), percent(result.needlessPercent()), percent(result.overheadPercent()));
    }

    /** The first column on the left, the others on the right. */
    static List<String> lines(List<PresetResult> results) {
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

    /** What to know about runs in which this computer was too busy; empty if it was not. */
    static List<String> warnings(List<PresetResult> results) {
        String stalls = results.stream().filter(result -> result.stallMs() >= NOTABLE_STALL_MS)
            .map(result -> result.variant() + " for " + result.stallMs() + " ms").collect(Collectors.joining(", "));
        return stalls.isEmpty() ? List.of() : List.of("This computer was busy and held the link up, at worst: " + stalls
            + ". Such delays are not KCP's; run it again when there is less to do.");
    }

    private static int width(List<List<String>> rows, int column) {
        return rows.stream().mapToInt(row -> row.get(column).length()).max().orElse(1);
    }

    private static String ms(double value) {
        return String.format(Locale.ROOT, "%.0f ms", value);
    }

    private static String percent(double value) {
        return String.format(Locale.ROOT, "%.1f %%", value);
    }
}

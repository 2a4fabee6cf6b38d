package io.kcp.bench;

import io.kcp.bench.results.LineChart;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;

/** Renders the results of {@link MonteCarlo} as one HTML file with SVG charts, which needs no scripts and no other files. */
final class MonteCarloPage {

    private static final int BINS = 20;
    private static final int TABLE_ROWS = 6;
    private static final String WITHOUT_FEC = "#1f77b4";
    private static final String WITH_FEC = "#d62728";
    private static final double[] QUANTILES = {0.5, 0.99, 0.999};
    private static final String[] QUANTILE_NAMES = {"50 %", "99 %", "99.9 %"};
    private static final String[] DASHES = {"", "7 4", "2 3"};
    private static final String LOSS_AXIS = "lost datagrams in each direction, %";

    private final List<MonteCarloResult> results;
    private final List<String> failures;
    private final int seeds;
    private final double maxLossPercent;

    MonteCarloPage(List<MonteCarloResult> results, List<String> failures, int seeds, double maxLossPercent) {
        this.results = results;
        this.failures = failures;
        this.seeds = seeds;
        this.maxLossPercent = maxLossPercent;
    }

    /** Returns the chart of the delivery times as an SVG document. */
    String picture() {
        return deliveryTimes().svg();
    }

    String html() {
        String setup = String.format(Locale.ROOT, "%d seeds, each with a different loss rate from 0 to %.0f %% in both directions. "
            + "The link has %d Mbit/s, a delay of %d ms in each direction and a queue of one round trip. FEC sends %d parity datagrams per "
            + "%d datagrams. Messages: %d messages of %d bytes, one every %d ms, with the preset fast3. Bulk transfer: %d bytes with the "
            + "preset fast3 and CUBIC. The clock is virtual, so the results do not depend on the machine.", seeds, maxLossPercent,
            MonteCarloResult.LINK_MBIT, MonteCarloResult.DELAY_MS, MonteCarloResult.PARITY_SHARDS, MonteCarloResult.DATA_SHARDS,
            MonteCarloResult.MESSAGES, MonteCarloResult.MESSAGE_BYTES, MonteCarloResult.MESSAGE_INTERVAL_MS, MonteCarloResult.BULK_BYTES);
        StringBuilder page = new StringBuilder(1 << 18).append("""
            <!DOCTYPE html>
            <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
            <title>KCP over lossy links</title>
            <style>
            body{font:15px/1.5 sans-serif;max-width:1480px;margin:24px auto;padding:0 16px;color:#222}
            figure{display:inline-block;margin:8px} svg{max-width:100%;height:auto;border:1px solid #ddd}
            table{border-collapse:collapse} td,th{padding:3px 12px;text-align:right;border-bottom:1px solid #ddd}
            </style></head><body>
            <h1>KCP over lossy links: Monte Carlo simulation</h1>
            <p>""")
            .append(LineChart.escape(setup)).append("</p>\n<p>").append(failures.isEmpty() ? "All transfers arrived completely and intact."
            : LineChart.escape(failures.size() + " seeds failed: " + failures)).append("</p>\n");
        for (LineChart chart : List.of(deliveryTimes(),
            scatter("Goodput of the bulk transfer", "Mbit/s", MonteCarloResult::goodputMbit),
            scatter("Retransmitted segments of the bulk transfer", "% of the segments", MonteCarloResult::retransmissionPercent),
            scatter("Bytes sent by both sides per byte of payload", "bytes", MonteCarloResult::wireBytesPerPayloadByte))) {
            page.append("<figure>").append(chart.svg()).append("</figure>\n");
        }
        return page.append(table()).append("</body></html>\n").toString();
    }

    private LineChart deliveryTimes() {
        LineChart chart = new LineChart("Delivery time of messages", LOSS_AXIS, "ms, logarithmic", true);
        for (boolean hasFec : new boolean[] {false, true}) {
            for (int i = 0; i < QUANTILES.length; i++) {
                double quantile = QUANTILES[i];
                chart.add(line(QUANTILE_NAMES[i] + suffix(hasFec), hasFec, DASHES[i],
                    bin -> quantileMs(bin, quantile)));
            }
        }
        return chart;
    }

    private LineChart scatter(String title, String unit, ToDoubleFunction<MonteCarloResult> value) {
        LineChart chart = new LineChart(title, LOSS_AXIS, unit, false);
        for (boolean hasFec : new boolean[] {false, true}) {
            List<MonteCarloResult> some = results.stream().filter(result -> result.hasFec() == hasFec).toList();
            chart.add(new LineChart.Series("", color(hasFec), "points",
                some.stream().map(result -> 100 * result.loss()).toList(), some.stream().map(value::applyAsDouble).toList()));
        }
        for (boolean hasFec : new boolean[] {false, true}) {
            chart.add(line("median" + suffix(hasFec), hasFec, "", bin -> median(bin, value)));
        }
        return chart;
    }

    private LineChart.Series line(String name, boolean hasFec, String dash, ToDoubleFunction<List<MonteCarloResult>> value) {
        List<Bin> bins = bins(BINS, hasFec);
        return new LineChart.Series(name, color(hasFec), dash, bins.stream().map(Bin::centerPercent).toList(),
            bins.stream().map(bin -> value.applyAsDouble(bin.results)).toList());
    }

    private String table() {
        StringBuilder table = new StringBuilder("<table><tr><th>loss</th><th>FEC</th><th>delivery 50 %</th><th>99 %</th><th>99.9 %</th>")
            .append("<th>longest</th><th>goodput</th><th>retransmissions</th><th>bytes per byte</th></tr>\n");
        List<Bin> without = bins(TABLE_ROWS, false);
        List<Bin> with = bins(TABLE_ROWS, true);
        for (int i = 0; i < Math.min(without.size(), with.size()); i++) {
            appendRow(table, without.get(i), "no");
            appendRow(table, with.get(i), MonteCarloResult.DATA_SHARDS + "+" + MonteCarloResult.PARITY_SHARDS);
        }
        return table.append("</table>\n").toString();
    }

    private static void appendRow(StringBuilder table, Bin bin, String fec) {
        table.append(String.format(Locale.ROOT, "<tr><td>%.0f–%.0f %%</td><td>%s</td><td>%.0f ms</td><td>%.0f ms</td><td>%.0f ms</td>"
            + "<td>%.0f ms</td><td>%.2f Mbit/s</td><td>%.1f %%</td><td>%.2f</td></tr>\n", bin.fromPercent, bin.toPercent, fec,
            quantileMs(bin.results, QUANTILES[0]), quantileMs(bin.results, QUANTILES[1]), quantileMs(bin.results, QUANTILES[2]),
            quantileMs(bin.results, 1), median(bin.results, MonteCarloResult::goodputMbit),
            median(bin.results, MonteCarloResult::retransmissionPercent), median(bin.results, MonteCarloResult::wireBytesPerPayloadByte)));
    }

    /** Divides the range of loss rates into bins. A bin without results is omitted. */
    private List<Bin> bins(int count, boolean hasFec) {
        double width = maxLossPercent / count;
        return IntStream.range(0, count).mapToObj(i -> new Bin(i * width, (i + 1) * width, results.stream()
            .filter(result -> result.hasFec() == hasFec && (int) (100 * result.loss() / width) == i).toList()))
            .filter(bin -> !bin.results.isEmpty()).toList();
    }

    private static double quantileMs(List<MonteCarloResult> some, double quantile) {
        long[] times = some.stream().flatMap(result -> result.deliveryTimesUs().stream()).mapToLong(Long::longValue).sorted().toArray();
        return times[Math.min(times.length - 1, (int) (quantile * times.length))] / 1_000.0;
    }

    private static double median(List<MonteCarloResult> some, ToDoubleFunction<MonteCarloResult> value) {
        double[] values = some.stream().mapToDouble(value).sorted().toArray();
        return values[values.length / 2];
    }

    private static String color(boolean hasFec) {
        return hasFec ? WITH_FEC : WITHOUT_FEC;
    }

    private static String suffix(boolean hasFec) {
        return hasFec ? " with FEC" : " without FEC";
    }

    private record Bin(double fromPercent, double toPercent, List<MonteCarloResult> results) {

        double centerPercent() {
            return (fromPercent + toPercent) / 2;
        }
    }
}

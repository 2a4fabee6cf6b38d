package io.kcp.bench;

import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** Formats the results of {@link LinkComparison} as Markdown. */
final class LinkComparisonTable {

    private static final String MISSING = "–";
    /** Share of the best goodput that a peer needs to count as fast. Slower peers have short delays because they leave the link idle. */
    private static final double FAST_SHARE = 0.5;

    /**
     * Results of one combination.
     *
     * @param peer  the peer, which is the first flow
     * @param rival the peer of the second flow, or an empty text
     * @param runs  the results of the runs, at least one
     */
    record Row(String peer, String rival, double lossPercent, double queueBdp, List<LinkComparisonResult> runs) {

        double goodput() {
            return LinkComparisonResult.median(runs).totalGoodput();
        }

        double queueP95Ms() {
            return LinkComparisonResult.median(runs).value(LinkComparisonResult.QUEUE_P95);
        }
    }

    private LinkComparisonTable() {
    }

    /** Returns a table with the medians of single flows. The goodput and the delay are compared with those of the same link. */
    static String goodput(List<Row> rows) {
        StringBuilder table = new StringBuilder("""
            | loss, % | queue, BDP | peer | goodput, MB/s (range) | % of the best | queueing delay p50, p95, ms \
            | rank of p95 (of fast peers) | dropped by the queue, % | CPU of sender, receiver, link, % |
            |---|---|---|---|---|---|---|---|---|
            """);
        for (Row row : rows) {
            LinkComparisonResult median = LinkComparisonResult.median(row.runs);
            double best = sameLink(rows, row).mapToDouble(Row::goodput).max().orElse(Double.NaN);
            String rank = Long.toString(rank(sameLink(rows, row), row));
            if (row.goodput() >= FAST_SHARE * best) {
                rank += " (" + rank(sameLink(rows, row).filter(other -> other.goodput() >= FAST_SHARE * best), row) + ')';
            }
            table.append(String.format(Locale.ROOT, "| %s | %s | %s | %s | %.0f | %s | %s | %s | %s |%n", number(row.lossPercent),
                number(row.queueBdp), row.peer, range(row.runs.stream().map(LinkComparisonResult::totalGoodput).toList(), 2),
                100 * row.goodput() / best, queue(median), rank, percent(median), cpu(median)));
        }
        return table.toString();
    }

    private static long rank(Stream<Row> others, Row row) {
        return 1 + others.filter(other -> other.queueP95Ms() < row.queueP95Ms()).count();
    }

    private static Stream<Row> sameLink(List<Row> rows, Row row) {
        return rows.stream().filter(other -> other.lossPercent == row.lossPercent && other.queueBdp == row.queueBdp);
    }

    /** Returns a table with the shares of the first of two flows. */
    static String sharing(List<Row> rows) {
        StringBuilder table = new StringBuilder("""
            | beside | queue, BDP | loss, % | peer | share of the peer, % (range) | total, MB/s | queueing delay p50, p95, ms | dropped by \
            the queue, % | CPU of senders, receivers, link, % |
            |---|---|---|---|---|---|---|---|---|
            """);
        rows.stream().sorted(Comparator.comparing(Row::rival).thenComparingDouble(Row::queueBdp)).forEach(row -> {
            LinkComparisonResult median = LinkComparisonResult.median(row.runs);
            table.append(String.format(Locale.ROOT, "| %s | %s | %s | %s | %s | %.2f | %s | %s | %s |%n", row.rival,
                number(row.queueBdp), number(row.lossPercent), row.peer,
                range(row.runs.stream().map(LinkComparisonResult::sharePercent).toList(), 0), median.totalGoodput(), queue(median),
                percent(median), cpu(median)));
        });
        return table.toString();
    }

    private static String queue(LinkComparisonResult result) {
        return text(result.value(LinkComparisonResult.QUEUE_P50), 1) + ", " + text(result.value(LinkComparisonResult.QUEUE_P95), 1);
    }

    private static String percent(LinkComparisonResult result) {
        return text(result.value(LinkComparisonResult.DROPPED), 2);
    }

    private static String cpu(LinkComparisonResult result) {
        return text(result.value(LinkComparisonResult.SENDER_CPU), 0) + ", " + text(result.value(LinkComparisonResult.RECEIVER_CPU), 0)
            + ", " + text(result.value(LinkComparisonResult.LINK_CPU), 0);
    }

    private static String range(List<Double> values, int digits) {
        double[] all = values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
        String median = text(Statistics.median(all), digits);
        return all.length == 1 ? median : median + " (" + text(all[0], digits) + '–' + text(all[all.length - 1], digits) + ')';
    }

    private static String text(double value, int digits) {
        return Double.isFinite(value) ? String.format(Locale.ROOT, "%." + digits + 'f', value) : MISSING;
    }

    private static String number(double value) {
        return value == Math.rint(value) ? Long.toString((long) value) : Double.toString(value);
    }
}

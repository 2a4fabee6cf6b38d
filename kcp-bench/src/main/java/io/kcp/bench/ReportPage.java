package io.kcp.bench;

import com.samskivert.mustache.Mustache;
import java.io.IOException;
import java.io.InputStream;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.webjars.WebJarVersionLocator;
import tools.jackson.databind.JsonNode;

/** Renders the report as one self-contained HTML file from the template {@code report.mustache}. */
final class ReportPage {

    private static final List<Metric> QUANTILES = List.of(Metric.P50_US, Metric.P90_US, Metric.P99_US, Metric.P999_US, Metric.MAX_US);
    private static final List<String> QUANTILE_NAMES = List.of("50 %", "90 %", "99 %", "99.9 %", "longest");
    private static final String LOGARITHMIC = "The vertical scale is logarithmic.";

    private final List<ResultsFile> files;
    private final Collection<ResultsFile.Measured> scenarios;
    private final List<JsonNode> lossyRows;

    /** Section of the page that contains charts. */
    private record Section(String heading, String text, boolean wide, List<Chart> charts) {
    }

    /** Row of the table that lists the targets. The component {@code result} is a CSS class. */
    private record TargetRow(String scenario, Target.Outcome outcome, String result, String text) {
    }

    /** Table with the medians of all metrics in a scenario. */
    private record Table(String title, List<String> contenders, List<Row> rows, Set<Map.Entry<String, String>> failures) {
    }

    /** Row with the medians of one metric. */
    private record Row(String metric, List<Double> medians) {
    }

    /**
     * Creates a page. If several files contain the same scenario, the last file counts. If there are no rows, the page has no section on
     * the lossy link.
     */
    ReportPage(List<ResultsFile> files, List<JsonNode> lossyRows) {
        this.files = files;
        this.lossyRows = lossyRows;
        Map<String, ResultsFile.Measured> byName = new LinkedHashMap<>();
        files.forEach(file -> file.scenarios().forEach(scenario -> byName.put(scenario.name(), scenario)));
        scenarios = byName.values();
    }

    String html() throws IOException {
        String chartJs = Objects.requireNonNull(new WebJarVersionLocator().fullPath("chart.js", "dist/chart.umd.min.js"));
        List<Target.Outcome> judged = scenarios.stream().flatMap(scenario -> scenario.targets().stream())
            .filter(outcome -> outcome.reached() != null).toList();
        Map<String, Object> page = Map.of(
            "files", files,
            "reached", judged.stream().filter(outcome -> Boolean.TRUE.equals(outcome.reached())).count(),
            "judged", judged.size(),
            "targets", scenarios.stream().flatMap(scenario -> scenario.targets().stream().map(outcome -> row(scenario, outcome))).toList(),
            "sections", sections().filter(section -> !section.charts.isEmpty()).toList(),
            "tables", scenarios.stream().map(ReportPage::table).toList(),
            "chartJs", resource("/" + chartJs).replaceAll("//# sourceMappingURL=.*", ""),
            "script", resource("report.js"));
        return Mustache.compiler().withFormatter(value -> value instanceof Double number ? Metric.format(number) : value.toString())
            .compile(resource("report.mustache")).execute(page);
    }

    private static String resource(String name) throws IOException {
        try (InputStream in = Objects.requireNonNull(ReportPage.class.getResourceAsStream(name), name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static TargetRow row(ResultsFile.Measured scenario, Target.Outcome outcome) {
        String result = outcome.reached() == null ? "unknown" : outcome.reached() ? "good" : "bad";
        String text = outcome.reached() == null ? "not measured" : outcome.reached() ? "✓ reached" : "✗ not reached";
        return new TargetRow(outcome == scenario.targets().get(0) ? scenario.title() : "", outcome, result, text);
    }

    private Stream<Section> sections() {
        return Stream.of(
            bars("Throughput", "Payload delivered per second. Higher is better. Thin lines reach from the slowest to the fastest run.",
                Metric.MB_S, Metric.MESSAGES_S, Metric.SESSIONS_S),
            bars("CPU time of client and server", "CPU time of both processes per megabyte or per message. Lower is better.",
                Metric.CPU_MS_MB, Metric.CPU_US_MESSAGE),
            bars("Ping-pong", "One message at a time, there and back. Lower is better.", Metric.MEDIAN_US, Metric.CPU_US_ROUND_TRIP),
            new Section("Delay with many sessions", "From the time for which a message was scheduled to the arrival of its echo, so that a"
                + " stall counts for every message that it delays. Lower is better. " + LOGARITHMIC, true, quantiles()),
            bars("CPU time of a server with many sessions", "Milliseconds of CPU time per second; 1,000 is one core. Lower is better.",
                Metric.SERVER_CPU_MS_S),
            bars("Memory per idle session", "Growth of the server's live memory per session, measured after full collections: the heap in"
                + " Java, heap and stacks in Go. Lower is better.", Metric.BYTES_SESSION, Metric.RESIDENT_BYTES_SESSION),
            lossyLink());
    }

    /** Returns a section with a bar chart for each scenario and metric that has values. */
    private Section bars(String heading, String text, Metric... metrics) {
        return new Section(heading, text, false, scenarios.stream()
            .flatMap(scenario -> Stream.of(metrics).filter(scenario.metrics()::contains).map(metric -> Chart.bars(scenario, metric)))
            .filter(chart -> !chart.series().isEmpty()).toList());
    }

    private List<Chart> quantiles() {
        return scenarios.stream().filter(scenario -> scenario.metrics().containsAll(QUANTILES) && !scenario.contenders().isEmpty())
            .map(scenario -> Chart.lines(scenario.title(), "µs", "share of messages with at most this delay", QUANTILE_NAMES,
                scenario.contenders().stream().map(contender ->
                    Chart.Series.of(contender.name(), QUANTILES.stream().map(contender::median).toList(), List.of())).toList()))
            .toList();
    }

    private Section lossyLink() {
        List<Chart> charts = new ArrayList<>();
        for (String kind : lossyRows.stream().map(row -> row.path("kind").asString()).distinct().toList()) {
            List<JsonNode> rows = lossyRows.stream().filter(row -> row.path("kind").asString().equals(kind)).toList();
            if (kind.startsWith("delay-")) {
                String rate = ", " + kind.substring("delay-".length()) + " messages per second";
                charts.add(lossyChart(rows, "Delivery delay, median" + rate, "ms", "p50_ms"));
                charts.add(lossyChart(rows, "Delivery delay, 99th percentile" + rate, "ms", "p99_ms"));
            } else {
                charts.add(lossyChart(rows, "Goodput", "MB/s", "mb_s"));
            }
        }
        String roundTrip = lossyRows.isEmpty() ? "" : decimal(Json.number(lossyRows.get(0), "rtt_ms"));
        return new Section("Lossy link", "The round-trip time is " + roundTrip + " ms, and the link loses the same share of datagrams in"
            + " each direction. Dashed and dotted lines are with FEC. " + LOGARITHMIC, true, charts);
    }

    /** Returns a chart of one field, with a line for each peer and a point for each loss rate. */
    private static Chart lossyChart(List<JsonNode> rows, String title, String unit, String field) {
        List<Double> losses = rows.stream().map(row -> Json.number(row, "loss_percent")).distinct().sorted().toList();
        Map<String, List<Double>> byPeer = new LinkedHashMap<>();
        for (JsonNode row : rows) {
            String fec = row.path("fec").asString(LossyPeer.NO_FEC);
            String name = row.path("peer").asString() + (fec.equals(LossyPeer.NO_FEC) ? "" : " + FEC " + fec);
            byPeer.computeIfAbsent(name, any -> new ArrayList<>(Collections.nCopies(losses.size(), Double.NaN)))
                .set(losses.indexOf(Json.number(row, "loss_percent")), Json.number(row, field));
        }
        return Chart.lines(title, unit, "loss", losses.stream().map(loss -> decimal(loss) + " %").toList(),
            byPeer.entrySet().stream().map(entry -> Chart.Series.of(entry.getKey(), entry.getValue(), List.of())).toList());
    }

    private static String decimal(double value) {
        return BigDecimal.valueOf(value).stripTrailingZeros().toPlainString();
    }

    private static Table table(ResultsFile.Measured scenario) {
        Set<Metric> metrics = new LinkedHashSet<>(scenario.metrics());
        scenario.contenders().forEach(contender -> metrics.addAll(contender.median().keySet()));
        return new Table(scenario.title(), scenario.contenders().stream().map(ResultsFile.Runs::name).toList(),
            metrics.stream().map(metric -> new Row(metric.label(),
                scenario.contenders().stream().map(contender -> contender.median(metric)).toList())).toList(),
            scenario.failures().entrySet());
    }
}

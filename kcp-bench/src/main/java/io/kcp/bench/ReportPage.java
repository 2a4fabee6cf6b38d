package io.kcp.bench;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Figures and pictures as one HTML page that needs nothing else; well-formed XML too. */
final class ReportPage {

    private static final String HEAD = """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8"/>
        <meta name="viewport" content="width=device-width"/>
        <title>KCP for the JVM, side by side</title>
        <style>
        """;
    private static final String BODY = """
        </style>
        </head>
        <body>
        <h1>KCP for the JVM, side by side</h1>
        """;
    private static final String STYLE = """
        :root { color-scheme: light dark; --paper: #ffffff; --ink: #1c2128; --soft: #59636e; --grid: #e4e8ec; --edge: #8c959f;
          --good: #1a7f37; --bad: #bc4c00;
          --c0: #0072b2; --c1: #d55e00; --c2: #009e73; --c3: #aa4499; --c4: #6b7280; --c5: #997700; --c6: #33839c; }
        @media (prefers-color-scheme: dark) {
          :root { --paper: #14181d; --ink: #e8ecf0; --soft: #a0aab4; --grid: #2b323a; --edge: #69737d;
            --good: #4ac26b; --bad: #f0883e;
            --c0: #56b4e9; --c1: #f0883e; --c2: #2fc796; --c3: #dd92cf; --c4: #9aa4b0; --c5: #d9b13b; --c6: #7fc8dc; } }
        body { background: var(--paper); color: var(--ink); font: 15px/1.5 system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif;
          max-width: 980px; margin: 28px auto; padding: 0 16px; }
        h1 { font-size: 24px; margin: 0 0 6px; } h2 { font-size: 18px; margin: 38px 0 4px; }
        h3 { font-size: 14px; margin: 14px 0 2px; font-weight: 600; } h3 span { display: block; font-weight: 400; color: var(--soft); }
        p { margin: 6px 0 12px; color: var(--soft); } code { font-size: 13px; }
        svg { width: 100%; height: auto; display: block; font: 12px system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif; }
        .panels { display: grid; grid-template-columns: repeat(auto-fill, minmax(400px, 1fr)); gap: 6px 28px; }
        .scroll { overflow-x: auto; }
        table { border-collapse: collapse; font-variant-numeric: tabular-nums; width: 100%; }
        th, td { text-align: right; padding: 4px 8px; border-bottom: 1px solid var(--grid); font-size: 14px; white-space: nowrap; }
        th:first-child, td:first-child { text-align: left; white-space: normal; }
        th { color: var(--soft); font-weight: 500; }
        .left { text-align: left; } .good { color: var(--good); } .bad { color: var(--bad); } .none { color: var(--soft); }
        .s0 { --c: var(--c0); } .s1 { --c: var(--c1); } .s2 { --c: var(--c2); } .s3 { --c: var(--c3); }
        .s4 { --c: var(--c4); } .s5 { --c: var(--c5); } .s6 { --c: var(--c6); }
        .grid { stroke: var(--grid); } .axis { stroke: var(--edge); }
        .tick { fill: var(--soft); font-variant-numeric: tabular-nums; } .label { fill: var(--soft); }
        .who { fill: var(--ink); font-size: 13px; } .s0 .who { font-weight: 600; }
        .value { fill: var(--ink); font-size: 13px; font-variant-numeric: tabular-nums; }
        .end { text-anchor: end; } .middle { text-anchor: middle; }
        .bar { fill: var(--c); } .variant .bar { opacity: 0.55; }
        .cut { fill: var(--paper); }
        .range { stroke: var(--ink); stroke-width: 1.4; opacity: 0.75; }
        .curve { stroke: var(--c); stroke-width: 2.2; fill: none; stroke-linejoin: round; }
        .variant .curve { stroke-dasharray: 9 5; }
        .dotted .curve { stroke-dasharray: 2 4; }
        .dot { fill: var(--c); stroke: var(--paper); stroke-width: 1.2; }
        """;
    private static final List<Metric> PERCENTILES =
        List.of(Metric.P50_US, Metric.P90_US, Metric.P99_US, Metric.P999_US, Metric.MAX_US);
    private static final List<String> PERCENTILE_NAMES = List.of("50 %", "90 %", "99 %", "99.9 %", "longest");

    private final Results results;
    private final @Nullable LossyRows lossy;
    private final StringBuilder html = new StringBuilder(HEAD).append(STYLE).append(BODY);

    private ReportPage(Results results, @Nullable LossyRows lossy) {
        this.results = results;
        this.lossy = lossy;
    }

    /** Draws a page; the part about lossy links only if there are rows. */
    static String draw(Results results, @Nullable LossyRows lossy) {
        return new ReportPage(results, lossy).draw();
    }

    private String draw() {
        origins();
        targets();
        bars("Throughput", "Payload that arrives. Higher is better; thin lines reach from the worst run to the best.",
            List.of(Metric.MB_S, Metric.MESSAGES_S, Metric.SESSIONS_S));
        bars("CPU time of both ends", "What a megabyte, or a message, costs client and server together. Lower is better.",
            List.of(Metric.CPU_MS_MB, Metric.CPU_US_MESSAGE));
        bars("Ping-pong", "One message there and back at a time. Lower is better.", List.of(Metric.MEDIAN_US, Metric.CPU_US_ROUND_TRIP));
        percentiles();
        bars("CPU time of a server of many sessions", "Milliseconds of CPU a second; 1,000 is a core. Lower is better.",
            List.of(Metric.SERVER_CPU_MS_S));
        bars("Memory of an idle session", "How much the server's live memory grows with each, after full collections: in Java the heap,"
            + " in Go heap and stacks. Lower is better.", List.of(Metric.BYTES_SESSION, Metric.RESIDENT_BYTES_SESSION));
        lossyLink();
        figures();
        return html.append("</body>\n</html>\n").toString();
    }

    private void origins() {
        for (Map<String, @Nullable Object> file : results.files()) {
            paragraph(Results.text(file.get("cpu")) + ", " + Results.text(file.get("cores")) + " cores; " + Results.text(file.get("system"))
                + "; " + Results.text(file.get("jdk")) + ". Commit " + Results.text(file.get("commit")) + ", "
                + Results.text(file.get("date")) + ", load average before it " + Metric.format(Results.number(file.get("load_average")))
                + ". Median of " + Results.text(file.get("rounds")) + ", contenders by turns, client and server in processes of their own"
                + " over loopback.");
            html.append("<p><code>").append(Svg.escape(Results.text(file.get("command")))).append("</code></p>\n");
            if (Boolean.TRUE.equals(file.get("quick"))) {
                html.append("<p class=\"bad\">Short runs: they show that it works, not how fast.</p>\n");
            }
        }
    }

    private void targets() {
        heading("What was to be reached");
        long judged = verdicts().filter(verdict -> verdict.reached() != null).count();
        long reached = verdicts().filter(verdict -> Boolean.TRUE.equals(verdict.reached())).count();
        paragraph(reached + " of " + judged + " targets reached that there are figures for.");
        html.append("<div class=\"scroll\">\n<table>\n<thead><tr><th>scenario</th><th class=\"left\">figure</th><th>wanted</th>"
            + "<th>measured</th><th class=\"left\"></th></tr></thead>\n<tbody>\n");
        results.scenarios().values().forEach(scenario -> {
            String title = scenario.title();
            for (Results.Verdict verdict : scenario.targets()) {
                row(title, verdict);
                title = "";
            }
        });
        html.append("</tbody>\n</table>\n</div>\n");
    }

    private Stream<Results.Verdict> verdicts() {
        return results.scenarios().values().stream().flatMap(scenario -> scenario.targets().stream());
    }

    private void row(String title, Results.Verdict verdict) {
        Boolean reached = verdict.reached();
        String css = reached == null ? "none" : reached ? "good" : "bad";
        String word = reached == null ? "no figure" : reached ? "✓ reached" : "✗ not reached";
        String measured = reached == null ? "" : Metric.format(verdict.value()) + (verdict.isRatio() ? "× " + verdict.best() : "");
        html.append("<tr><td>").append(Svg.escape(title)).append("</td><td class=\"left\">").append(Svg.escape(verdict.metric().label()))
            .append("</td><td>").append(Svg.escape(verdict.wanted())).append("</td><td>").append(Svg.escape(measured))
            .append("</td><td class=\"left ").append(css).append("\">").append(word).append("</td></tr>\n");
    }

    /** A panel for each scenario that has one of the figures. */
    private void bars(String title, String text, List<Metric> metrics) {
        StringBuilder panels = new StringBuilder();
        for (Results.Shown scenario : results.scenarios().values()) {
            for (Metric metric : metrics) {
                List<Series> series = scenario.metrics().contains(metric) ? scenario.series(metric) : List.of();
                if (!series.isEmpty()) {
                    panels.append("<div><h3>").append(Svg.escape(scenario.title())).append(" <span>").append(Svg.escape(metric.label()))
                        .append("</span></h3>\n").append(BarChart.draw(scenario.title(), metric, series)).append("</div>\n");
                }
            }
        }
        if (!panels.isEmpty()) {
            heading(title);
            paragraph(text);
            html.append("<div class=\"panels\">\n").append(panels).append("</div>\n");
        }
    }

    private void percentiles() {
        boolean first = true;
        for (Results.Shown scenario : results.scenarios().values()) {
            if (!scenario.metrics().containsAll(PERCENTILES) || scenario.contenders().isEmpty()) {
                continue;
            }
            if (first) {
                heading("Delay among many sessions");
                paragraph("From the moment a message should have been sent to the moment its echo is there, so that a stall counts for all"
                    + " that it delays. Lower is better; the scales are logarithmic.");
                first = false;
            }
            html.append("<h3>").append(Svg.escape(scenario.title())).append("</h3>\n");
            html.append(LineChart.draw(scenario.title(), "µs", "share of the messages that took no longer", PERCENTILE_NAMES,
                scenario.contenders().stream().map(ReportPage::percentilesOf).toList()));
        }
    }

    private static Series percentilesOf(Results.Figures contender) {
        return Series.of(contender.name(), PERCENTILES.stream().map(contender::median).toList());
    }

    private void lossyLink() {
        if (lossy == null) {
            return;
        }
        heading("Over a lossy link");
        paragraph("A round trip of " + lossy.roundTrip() + "; the link loses the same share of the datagrams each way. Dashed and"
            + " dotted is with parity. The scales are logarithmic.");
        for (String kind : lossy.kinds()) {
            boolean delay = kind.startsWith("delay");
            List<String> losses = lossy.losses(kind);
            for (String figure : delay ? List.of("p50_ms", "p99_ms") : List.of("mb_s")) {
                String title = switch (figure) {
                    case "p50_ms" -> "Delivery delay, median" + rate(kind);
                    case "p99_ms" -> "Delivery delay, 99th percentile" + rate(kind);
                    default -> "Goodput";
                };
                html.append("<h3>").append(Svg.escape(title)).append("</h3>\n");
                html.append(LineChart.draw(title, delay ? "ms" : "MB/s", "loss", losses, lossy.series(kind, figure)));
            }
        }
    }

    private static String rate(String kind) {
        return kind.startsWith("delay-") ? ", " + kind.substring("delay-".length()) + " messages a second" : "";
    }

    /** Every median, for who wants to know. */
    private void figures() {
        heading("All figures");
        for (Results.Shown scenario : results.scenarios().values()) {
            Set<Metric> metrics = new LinkedHashSet<>(scenario.metrics());
            scenario.contenders().forEach(contender -> metrics.addAll(contender.median().keySet()));
            html.append("<h3>").append(Svg.escape(scenario.title()))
                .append("</h3>\n<div class=\"scroll\">\n<table>\n<thead><tr><th>median</th>");
            scenario.contenders().forEach(contender -> html.append("<th>").append(Svg.escape(contender.name())).append("</th>"));
            html.append("</tr></thead>\n<tbody>\n");
            for (Metric metric : metrics) {
                List<String> cells = new ArrayList<>();
                scenario.contenders().forEach(contender -> cells.add(Metric.format(contender.median(metric))));
                html.append("<tr><td>").append(Svg.escape(metric.label())).append("</td>");
                cells.forEach(cell -> html.append("<td>").append(cell).append("</td>"));
                html.append("</tr>\n");
            }
            html.append("</tbody>\n</table>\n</div>\n");
            scenario.failures().forEach((name, message) -> paragraph("Failed: " + name + ": " + message));
        }
    }

    private void heading(String text) {
        html.append("<h2>").append(Svg.escape(text)).append("</h2>\n");
    }

    private void paragraph(String text) {
        html.append("<p>").append(Svg.escape(text)).append("</p>\n");
    }
}

package io.kcp.examples;

import io.kcp.core.KcpMode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/** Writes the demo's charts as one self-contained HTML page, which is also well-formed XML. */
final class DemoReport {

    private static final String HEAD = """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8"/>
        <meta name="viewport" content="width=device-width"/>
        <title>KCP through a lossy link</title>
        <style>
        """;
    private static final String BODY = """
        </style>
        </head>
        <body>
        <h1>KCP through a lossy link</h1>
        """;
    private static final String STYLE = """
        :root { color-scheme: light dark; --paper: #ffffff; --ink: #1c2128; --soft: #59636e; --grid: #e4e8ec; --edge: #8c959f;
          --c0: #0072b2; --c1: #d55e00; --c2: #009e73; --c3: #aa4499; --c4: #8c6d1f; --c5: #5b6470; }
        @media (prefers-color-scheme: dark) {
          :root { --paper: #14181d; --ink: #e8ecf0; --soft: #a0aab4; --grid: #2b323a; --edge: #69737d;
            --c0: #56b4e9; --c1: #f0883e; --c2: #2fc796; --c3: #dd92cf; --c4: #d8b65c; --c5: #aab4bf; } }
        body { background: var(--paper); color: var(--ink); font: 15px/1.5 system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif;
          max-width: 980px; margin: 28px auto; padding: 0 16px; }
        h1 { font-size: 24px; margin: 0 0 6px; } h2 { font-size: 17px; margin: 34px 0 4px; }
        p { margin: 6px 0 12px; color: var(--soft); } p.seen { color: var(--ink); font-size: 17px; }
        svg { width: 100%; height: auto; display: block; font: 12px system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif; }
        .scroll { overflow-x: auto; }
        table { border-collapse: collapse; font-variant-numeric: tabular-nums; white-space: nowrap; width: 100%; }
        th, td { text-align: right; padding: 5px 8px; border-bottom: 1px solid var(--grid); font-size: 14px; }
        th:first-child, td:first-child { text-align: left; }
        th { color: var(--soft); font-weight: 500; }
        td:first-child { font-weight: 600; border-left: 4px solid var(--c); }
        .s0 { --c: var(--c0); } .s1 { --c: var(--c1); } .s2 { --c: var(--c2); } .s3 { --c: var(--c3); }
        .s4 { --c: var(--c4); } .s5 { --c: var(--c5); }
        .grid { stroke: var(--grid); } .axis { stroke: var(--edge); }
        .tick { fill: var(--soft); font-variant-numeric: tabular-nums; } .label { fill: var(--soft); }
        .name { fill: var(--ink); font-weight: 600; font-size: 14px; }
        .end { text-anchor: end; } .middle { text-anchor: middle; }
        .swatch { fill: var(--c); }
        .range { stroke: var(--c); stroke-width: 1.5; fill: none; opacity: 0.85; }
        .mark { stroke: var(--ink); stroke-dasharray: 5 4; opacity: 0.6; }
        .curve { stroke: var(--c); stroke-width: 2.2; fill: none; stroke-linejoin: round; }
        .dot { fill: var(--c); stroke: var(--paper); stroke-width: 1.2; }
        """;

    private final DemoTraffic traffic;
    private final LinkConditions conditions;
    private final KcpMode mode;
    private final List<DemoResult> results;
    private final String sentence;

    DemoReport(DemoTraffic traffic, LinkConditions conditions, KcpMode mode, List<DemoResult> results, String sentence) {
        this.traffic = traffic;
        this.conditions = conditions;
        this.mode = mode;
        this.results = results;
        this.sentence = sentence;
    }

    void write(Path path) throws IOException {
        Path directory = path.toAbsolutePath().getParent();
        if (directory != null) {
            Files.createDirectories(directory);
        }
        Files.writeString(path, html());
    }

    private String html() {
        StringBuilder html = new StringBuilder(HEAD).append(STYLE).append(BODY);
        html.append("<p class=\"seen\">").append(Svg.escape(sentence)).append("</p>\n");
        paragraph(html, traffic.players() + " players send " + LinkConditions.plain(traffic.perSecond()) + " messages of "
            + traffic.messageBytes() + " bytes a second for " + Math.round(traffic.seconds()) + " s, in "
            + mode.toString().toLowerCase(Locale.ROOT) + " mode; all contenders at the same time. The link, each way: " + conditions + ".");
        table(html);
        heading(html, "Delay of each message");
        paragraph(html, "From the time at which the application sent a message to its delivery, in order. A lost packet delays its"
            + " message and those behind it until it is retransmitted or recovered. The lines mark the median and the 99th percentile."
            + " All panels have the same scales.");
        html.append(DelayPanels.draw(results));
        heading(html, "Delay by percentile");
        paragraph(html, "Each line climbs from the quickest message on the left to the slowest on the right; lower is better."
            + " The scale is stretched to the right, where the rare slow ones are. Dots mark 50, 90 and 99 %.");
        html.append(PercentileChart.draw(results));
        return html.append("</body>\n</html>\n").toString();
    }

    private void table(StringBuilder html) {
        html.append("<div class=\"scroll\">\n<table>\n<thead><tr>");
        ResultTable.HEADINGS.forEach(heading -> html.append("<th>").append(Svg.escape(heading)).append("</th>"));
        html.append("</tr></thead>\n<tbody>\n");
        for (int i = 0; i < results.size(); i++) {
            html.append("<tr class=\"s").append(i).append("\">");
            ResultTable.row(results.get(i)).forEach(cell -> html.append("<td>").append(Svg.escape(cell)).append("</td>"));
            html.append("</tr>\n");
        }
        html.append("</tbody>\n</table>\n</div>\n");
        paragraph(html, String.join("; ", ResultTable.LEGEND) + ".");
    }

    private static void heading(StringBuilder html, String text) {
        html.append("<h2>").append(Svg.escape(text)).append("</h2>\n");
    }

    private static void paragraph(StringBuilder html, String text) {
        html.append("<p>").append(Svg.escape(text)).append("</p>\n");
    }
}

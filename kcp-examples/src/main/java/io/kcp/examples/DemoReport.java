package io.kcp.examples;

import com.samskivert.mustache.Mustache;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.webjars.WebJarVersionLocator;
import tools.jackson.databind.json.JsonMapper;

/**
 * Renders the results of the demo as one self-contained HTML file. The template of the page is {@code demo.mustache}, and {@code demo.js}
 * draws the charts with Chart.js.
 */
record DemoReport(String setup, List<DemoResult> results, String sentence) {

    private static final int INTERVALS = 400;

    /** Chart data of one contender, either a KCP preset or TCP. */
    private record Series(String name, List<DelaySeries.Point> overTime, List<DelaySeries.Point> percentiles, double p50, double p99,
                          double longest) {

        static Series of(DemoResult result) {
            DelaySeries delays = result.delays();
            return new Series(result.name(), delays.longestPerInterval(INTERVALS), delays.percentileCurve(), delays.percentileMs(50),
                delays.percentileMs(99), delays.maxMs());
        }
    }

    void write(Path path) throws IOException {
        Files.createDirectories(path.toAbsolutePath().resolveSibling("."));
        Files.writeString(path, html());
    }

    private String html() throws IOException {
        String chartJs = Objects.requireNonNull(new WebJarVersionLocator().fullPath("chart.js", "dist/chart.umd.min.js"));
        return Mustache.compiler().compile(resource("demo.mustache")).execute(Map.of(
            "sentence", sentence,
            "setup", setup,
            "headings", ResultTable.HEADINGS,
            "rows", results.stream().map(ResultTable::row).toList(),
            "legend", ResultTable.LEGEND,
            "series", results.stream().map(result -> JsonMapper.shared().writeValueAsString(Series.of(result))).toList(),
            "chartJs", resource("/" + chartJs).replaceAll("//# sourceMappingURL=.*", ""),
            "script", resource("demo.js")));
    }

    private static String resource(String name) throws IOException {
        try (InputStream in = Objects.requireNonNull(DemoReport.class.getResourceAsStream(name), name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}

package io.kcp.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import tools.jackson.databind.JsonNode;

class ReportTest {

    private static final List<Path> BROWSERS = List.of(Path.of("/usr/bin/chromium"), Path.of("/usr/bin/chromium-browser"),
        Path.of("/usr/bin/google-chrome"));
    private static final String LOSSY = """
        [{"event":"lossy","peer":"ours","fec":"none","loss_percent":5.000,"rtt_ms":50.000,"kind":"delay-50","p50_ms":26,"p90_ms":30,
          "p99_ms":78.5,"mb_s":null},
        {"event":"lossy","peer":"ours","fec":"none","loss_percent":0,"rtt_ms":50,"kind":"delay-50","p50_ms":25,"p90_ms":25,"p99_ms":26,
          "mb_s":null},
        {"event":"lossy","peer":"ours","fec":"10:3","loss_percent":5,"rtt_ms":50,"kind":"delay-50","p50_ms":26,"p90_ms":29,"p99_ms":60,
          "mb_s":null},
        {"event":"lossy","peer":"tcp","fec":"none","loss_percent":5,"rtt_ms":50,"kind":"goodput","p50_ms":null,"p90_ms":null,
          "p99_ms":null,"mb_s":0.4}]
        """;

    @TempDir
    Path directory;

    private Path results(String name, double ours) throws Exception {
        Scenario scenario = Scenarios.all().stream().filter(one -> one.name().equals(name)).findFirst().orElseThrow();
        ScenarioResult result = new ScenarioResult(scenario);
        for (double factor : new double[] {0.8, 1, 1.3}) {
            result.add("ours", 1, metrics(scenario, ours * factor));
            result.add("kcp-go", 1, metrics(scenario, 100 * factor));
        }
        result.addFailure("kcp-netty", "a < b & \"c\"");
        Path file = directory.resolve(name + ours + ".json");
        CommandLine command = new CommandLine(new SideBySide());
        command.parseArgs("--scenarios", name);
        ResultsFile.describe(command, 3, 0.3, true).with(List.of(result.toFile())).write(file);
        return file;
    }

    private static Map<Metric, Double> metrics(Scenario scenario, double value) {
        Map<Metric, Double> metrics = new EnumMap<>(Metric.class);
        scenario.metrics().forEach(metric -> metrics.put(metric, value));
        return metrics;
    }

    private Path page(Path... files) {
        Path page = directory.resolve("made").resolve("index.html");
        List<String> arguments = new ArrayList<>(Stream.of(files).map(Path::toString).toList());
        arguments.addAll(List.of("--lossy", directory.resolve("lossy.json").toString(), "--out", page.toString()));
        assertThat(new CommandLine(new Report()).execute(arguments.toArray(String[]::new))).isZero();
        return page;
    }

    private String report(Path... files) throws Exception {
        return Files.readString(page(files));
    }

    private static List<JsonNode> charts(String html) {
        List<JsonNode> charts = new ArrayList<>();
        Matcher matcher = Pattern.compile("data-chart=\"([^\"]*)\"").matcher(html);
        while (matcher.find()) {
            charts.add(Json.MAPPER.readTree(matcher.group(1).replace("&quot;", "\"").replace("&#39;", "'").replace("&amp;", "&")));
        }
        return charts;
    }

    @Test
    void pageNeedsNoOtherFile() throws Exception {
        String html = report(results("one-way", 500), results("fleet-5000", 10));
        assertThat(charts(html)).hasSize(4);
        String withoutScripts = html.replaceAll("(?s)<script>.*?</script>", "");
        assertThat(withoutScripts).doesNotContain("<script", "http://", "https://", "src=", "href=", "url(", "@import")
            .contains("prefers-color-scheme: dark");
        assertThat(html).doesNotContain("sourceMappingURL");
    }

    @Test
    void targetsShowWhetherTheyAreReached() throws Exception {
        String html = report(results("one-way", 500));
        assertThat(html).contains("1 of 3 targets with measured values are reached.", "5.00× kcp-go", "✓ reached", "✗ not reached",
            "not measured", "Failed: kcp-netty: a &lt; b &amp; &quot;c&quot;", "The runs were short");
    }

    @Test
    void lastFileWithAScenarioCounts() throws Exception {
        String html = report(results("one-way", 500), results("one-way", 700));
        assertThat(html).contains("7.00× kcp-go").doesNotContain("5.00× kcp-go");
    }

    @Test
    void barsShowMedianAndRange() throws Exception {
        JsonNode throughput = charts(report(results("one-way", 50))).get(0);
        JsonNode ours = throughput.path("series").get(0);
        assertThat(ours.path("name").asString()).isEqualTo("ours");
        assertThat(ours.path("values").get(0).asDouble()).isEqualTo(50);
        assertThat(ours.path("range").get(0).asDouble()).isCloseTo(40, within(1e-9));
        assertThat(ours.path("range").get(1).asDouble()).isCloseTo(65, within(1e-9));
        assertThat(throughput.path("series").get(1).path("values").get(0).asDouble()).isEqualTo(100);
    }

    @Test
    void outlierBarIsTruncated() {
        assertThat(Chart.bars(measured(1_000, 30, 20), Metric.MB_S).max()).isEqualTo(45);
        assertThat(Chart.bars(measured(100, 30, 20), Metric.MB_S).max()).isNull();
        assertThat(Chart.bars(measured(1_000, 30), Metric.MB_S).max()).as("two bars").isNull();
    }

    private static ResultsFile.Measured measured(double... values) {
        List<ResultsFile.Runs> runs = Arrays.stream(values).mapToObj(value ->
            new ResultsFile.Runs("c" + value, Map.of(Metric.MB_S, value), List.of(Map.of(Metric.MB_S, value)))).toList();
        return new ResultsFile.Measured("name", "title", "", List.of(Metric.MB_S), runs, List.of(), Map.of());
    }

    @Test
    void lossyLinkIsDrawnIfThereAreRows() throws Exception {
        Path results = results("one-way", 500);
        assertThat(report(results)).doesNotContain("Lossy link");
        Files.writeString(directory.resolve("lossy.json"), LOSSY);
        String html = report(results);
        assertThat(html).contains("Lossy link", "The round-trip time is 50 ms", "Delivery delay, 99th percentile, 50 messages per second",
            "Goodput");
        JsonNode p99 = charts(html).stream().filter(chart -> chart.path("title").asString().contains("99th")).findFirst().orElseThrow();
        assertThat(p99.path("labels").toString()).isEqualTo("[\"0 %\",\"5 %\"]");
        assertThat(p99.path("series").get(0).path("values").toString()).isEqualTo("[26.0,78.5]");
        assertThat(p99.path("series").get(1).path("name").asString()).isEqualTo("ours + FEC 10:3");
        assertThat(p99.path("series").get(1).path("values").toString()).isEqualTo("[null,60.0]");
    }

    @Test
    void peerHasTheSameColorInAllCharts() {
        assertThat(colorAndStyle("ours")).isEqualTo("0 solid");
        assertThat(colorAndStyle("kcp-netty")).isEqualTo("2 solid");
        assertThat(colorAndStyle("kcp-go + FEC 10:3")).isEqualTo("1 dashed");
        assertThat(colorAndStyle("kcp-go + FEC 2:1")).isEqualTo("1 dotted");
        assertThat(colorAndStyle("window 4096")).isEqualTo("0 dashed");
    }

    private static String colorAndStyle(String name) {
        Chart.Series series = Chart.Series.of(name, List.of(), List.of());
        return series.color() + " " + series.style();
    }

    @Test
    void invalidFileIsNamed() throws Exception {
        Path file = directory.resolve("other.json");
        Files.writeString(file, "[1, 2");
        assertThatIllegalArgumentException().isThrownBy(() -> ResultsFile.read(file)).withMessageContaining("other.json");
    }

    @Test
    void resultsFileIsReadAsItWasWritten() throws Exception {
        ResultsFile results = ResultsFile.read(results("one-way", 500));
        Path copy = directory.resolve("sub").resolve("copy.json");
        results.write(copy);
        assertThat(ResultsFile.read(copy)).isEqualTo(results);
        assertThat(Files.readString(copy)).contains("\"load_average\" : ", "\"is_ratio\" : true", "\"garbage_bytes_datagram\" : 500.0");
    }

    @Test
    @Timeout(120)
    void browserDrawsAllCharts() throws Exception {
        Path browser = BROWSERS.stream().filter(Files::isExecutable).findFirst().orElse(null);
        assumeTrue(browser != null, "no browser is installed");
        Files.writeString(directory.resolve("lossy.json"), LOSSY);
        Path page = page(results("one-way", 500), results("fleet-5000", 10));
        Process process = new ProcessBuilder(browser.toString(), "--headless", "--no-sandbox", "--disable-gpu",
            "--user-data-dir=" + directory.resolve("profile"), "--virtual-time-budget=10000", "--dump-dom", page.toUri().toString())
            .redirectError(ProcessBuilder.Redirect.DISCARD).start();
        String dom = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(charts(dom)).hasSize(7);
        assertThat(dom.split("data-drawn=\"[1-9]", -1)).as("drawn charts").hasSize(8);
    }
}

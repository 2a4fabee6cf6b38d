package io.kcp.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.kcp.test.ChildProcess;
import io.kcp.tools.command.Launcher;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

@Timeout(60)
class DemoTest {

    private static final List<Path> BROWSERS = List.of(Path.of("/usr/bin/chromium"), Path.of("/usr/bin/google-chrome"));
    private static final JsonMapper JSON = JsonMapper.shared();
    private static final String NUMBER = "\\d+ ms with ";

    @TempDir
    private Path temporary;
    private final StringWriter output = new StringWriter();
    private final StringWriter errors = new StringWriter();

    @ParameterizedTest
    @ValueSource(strings = {"message", "stream"})
    @Tag("slow")
    void printsTableAndSummaryAndDrawsEveryPreset(String mode) throws Exception {
        Path report = temporary.resolve("new").resolve("report.html");

        assertThat(run("--seconds", "3", "--rate", "50", "--players", "2", "--no-tcp", "--mode", mode, "--report", report.toString()))
            .as("%s", errors).isZero();

        assertThat(output.toString())
            .startsWith("2 players send 50 messages of 200 bytes per second for 3 s over a link with 5 % loss, 25 ms delay")
            .contains("TCP is not measured: --no-tcp", "p50", "p99", "on the wire", report.toUri().toString());
        List<String> presets = List.of("normal", "fast3", "fast3 + FEC 1:1");
        assertThat(output.toString().lines()).as("a row of each").extracting(line -> line.split("  ")[0]).containsSubsequence(presets);
        String sentence = output.toString().lines().filter(line -> line.startsWith("On a link")).findFirst().orElseThrow();
        assertThat(sentence).matches("On a link that loses 5 % of its packets and takes 50 ms for a round trip, 99 of 100 messages arrived"
            + " within " + NUMBER + "normal, " + NUMBER + "fast3, and " + NUMBER + "fast3 \\+ FEC 1:1\\.");
        String html = Files.readString(report);
        assertThat(charts(html)).extracting(chart -> chart.path("name").asString()).isEqualTo(presets);
        for (JsonNode chart : charts(html)) {
            assertThat(chart.path("p50").asDouble()).isBetween(25.0, chart.path("p99").asDouble());
            assertThat(points(chart, "overTime")).hasSizeGreaterThan(100).last()
                .satisfies(last -> assertThat(last.x()).isBetween(2.0, 60.0));
            assertThat(points(chart, "percentiles")).hasSizeGreaterThan(10).isSortedAccordingTo(Comparator.comparing(DelaySeries.Point::y))
                .last().satisfies(last -> assertThat(last.x()).isCloseTo(1000, within(0.001)));
        }
        assertThat(html.split("<tr", -1)).as("rows, heading included").hasSize(5);
        assertThat(html).contains(sentence).doesNotContain("NaN,", "Infinity,", "sourceMappingURL");
        assertThat(html.replaceAll("(?s)<script>.*?</script>", "")).as("fetches nothing")
            .doesNotContain("<script", "http:", "https:", "src=", "href=", "url(", "@import");
    }

    @Test
    @Tag("slow")
    void browserDrawsEveryChart() throws Exception {
        Path browser = BROWSERS.stream().filter(Files::isExecutable).findFirst().orElse(null);
        assumeTrue(browser != null, "no browser is installed");
        Path report = temporary.resolve("report.html");
        assertThat(run("--seconds", "1", "--no-tcp", "--report", report.toString())).as("%s", errors).isZero();
        String dom;
        try (ChildProcess process = ChildProcess.start(List.of(browser.toString(), "--headless", "--no-sandbox", "--disable-gpu",
            "--user-data-dir=" + temporary.resolve("profile"), "--virtual-time-budget=10000", "--dump-dom", report.toUri().toString()))) {
            dom = process.awaitSuccess(50);
        }
        assertThat(dom.split("data-drawn=\"3\"", -1)).as("three panels and the percentiles").hasSize(5);
    }

    @Test
    void progressIsShownWhileTheDemoRuns() {
        assertThat(run("--seconds", "3", "--presets", "fast3", "--fec", "none", "--no-tcp", "--report", temporary.resolve("a").toString()))
            .isZero();
        assertThat(output.toString()).containsPattern("\\[=.*] +\\d/3 s .* p99 ms: fast3 \\d+");
    }

    @Tag("interop")
    @Test
    void tcpIsIncludedIfLinksCanBeCreated() throws Exception {
        String obstacle = TunLink.obstacle(TunLink.findProgram(), new LinkConditions(5, 5, 0, 0, 0));
        assumeTrue(obstacle == null, obstacle);
        assertThat(run("--seconds", "3", "--delay", "5", "--presets", "fast3", "--fec", "none", "--report",
            temporary.resolve("a").toString())).as("%s", errors).isZero();
        assertThat(output.toString()).doesNotContain("TCP is not measured")
            .containsPattern("arrived within " + NUMBER + "TCP \\(\\w+\\) and " + NUMBER + "fast3\\.");
    }

    @Test
    void omittedTcpIsReportedInOneLine() {
        assertThat(run("--seconds", "1", "--delay", "24.5", "--jitter", "5", "--presets", "fast3", "--fec", "none", "--report",
            temporary.resolve("a").toString())).as("%s", errors).isZero();
        assertThat(output.toString().lines().filter(line -> line.contains("TCP"))).containsExactly(
            "TCP is not measured: its link supports only loss and delay");
        assertThat(output.toString()).contains("5 % loss, 24.5 to 29.5 ms delay", "takes 49 to 59 ms for a round trip",
            "arrived within ").doesNotContain(" and fast3");
    }

    @ParameterizedTest
    @CsvSource({"--loss, 120, loss: 120.0 (expected: 0 to 100 percent)",
        "--rate, 0, '--rate: 0.0 (expected: above 0, at most 1000 per second)'",
        "--bytes, 1201, --bytes: 1201 (expected: 1 to 1200)", "--players, 0, --players: 0 (expected: 1 to 127)",
        "--seconds, 0, --seconds: 0 (expected: at least 1)"})
    void invalidValueIsRejectedWithAMessage(String option, String value, String message) {
        assertThat(run(option, value)).isOne();
        assertThat(errors.toString()).contains(message);
    }

    private int run(String... arguments) {
        return Launcher.commandLine(new Demo()).setOut(new PrintWriter(output, true)).setErr(new PrintWriter(errors, true))
            .execute(arguments);
    }

    private static List<JsonNode> charts(String html) {
        return Pattern.compile("data-series=\"([^\"]*)\"").matcher(html).results()
            .map(match -> JSON.readTree(match.group(1).replace("&quot;", "\"").replace("&amp;", "&"))).toList();
    }

    private static List<DelaySeries.Point> points(JsonNode chart, String field) {
        return List.of(JSON.treeToValue(chart.path(field), DelaySeries.Point[].class));
    }
}

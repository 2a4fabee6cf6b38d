package io.kcp.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;
import picocli.CommandLine;

class ReportTest {

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

    private Path results(String scenario, double ours) throws Exception {
        ScenarioResult result = new ScenarioResult(Scenarios.all().stream().filter(one -> one.name().equals(scenario)).findFirst()
            .orElseThrow());
        for (double factor : new double[] {0.8, 1, 1.3}) {
            Map<Metric, Double> figures = new EnumMap<>(Metric.class);
            result.scenario().metrics().forEach(metric -> figures.put(metric, ours * factor));
            result.add("ours", figures);
            Map<Metric, Double> theirs = new EnumMap<>(Metric.class);
            result.scenario().metrics().forEach(metric -> theirs.put(metric, 100 * factor));
            result.add("kcp-go", theirs);
        }
        result.addFailure("kcp-netty", "a < b & \"c\"");
        Map<String, Object> file = Machine.describe(List.of("--scenarios", scenario));
        file.put("rounds", 3);
        file.put("quick", true);
        file.put("scenarios", List.of(result.toJson()));
        Path path = directory.resolve(scenario + ours + ".json");
        Files.writeString(path, Json.write(file));
        return path;
    }

    private String report(Path... files) throws Exception {
        Path lossy = directory.resolve("lossy.json");
        Path page = directory.resolve("made").resolve("index.html");
        String[] arguments = new String[files.length + 4];
        for (int i = 0; i < files.length; i++) {
            arguments[i] = files[i].toString();
        }
        System.arraycopy(new String[] {"--lossy", lossy.toString(), "--out", page.toString()}, 0, arguments, files.length, 4);
        assertThat(new CommandLine(new Report()).execute(arguments)).isZero();
        return Files.readString(page);
    }

    private static Document parse(String html) throws Exception {
        DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
        return factory.newDocumentBuilder().parse(new InputSource(new StringReader(html.replace("<!DOCTYPE html>", ""))));
    }

    @Test
    void thePageIsWellFormedAndNeedsNothingElse() throws Exception {
        String html = report(results("one-way", 500), results("fleet-5000", 10));
        NodeList pictures = parse(html).getElementsByTagName("svg");
        assertThat(pictures.getLength()).isEqualTo(4);
        assertThat(html).doesNotContain("<script", "http://", "https://", "src=", "href=", "url(").contains("prefers-color-scheme: dark");
    }

    @Test
    void itTellsWhichTargetsWereReached() throws Exception {
        String html = report(results("one-way", 500));
        assertThat(html).contains("1 of 3 targets reached that there are figures for.", "5.00× kcp-go", "✓ reached", "✗ not reached",
            "no figure", "Failed: kcp-netty: a &lt; b &amp; &quot;c&quot;", "Short runs");
    }

    @Test
    void aScenarioOfSeveralFilesIsThatOfTheLast() throws Exception {
        String html = report(results("one-way", 500), results("one-way", 700));
        assertThat(html).contains("7.00× kcp-go").doesNotContain("5.00× kcp-go");
    }

    @Test
    void barsAreAsLongAsTheirFigures() throws Exception {
        String html = report(results("one-way", 50));
        NodeList bars = parse(html).getElementsByTagName("rect");
        double ours = Double.parseDouble(bars.item(0).getAttributes().getNamedItem("width").getNodeValue());
        double kcpGo = Double.parseDouble(bars.item(1).getAttributes().getNamedItem("width").getNodeValue());
        assertThat(kcpGo / ours).isBetween(1.98, 2.02);
    }

    @Test
    void theLossyLinkIsDrawnIfThereAreRows() throws Exception {
        Path results = results("one-way", 500);
        assertThat(report(results)).doesNotContain("lossy link");
        Files.writeString(directory.resolve("lossy.json"), LOSSY);
        String html = report(results);
        parse(html);
        assertThat(html).contains("Over a lossy link", "A round trip of 50 ms", "Delivery delay, 99th percentile, 50 messages a second",
            "Goodput", "ours + FEC 10:3");
        LossyRows rows = LossyRows.read(directory.resolve("lossy.json"));
        assertThat(rows.losses("delay-50")).containsExactly("0 %", "5 %");
        assertThat(rows.series("delay-50", "p99_ms")).containsExactly(Series.of("ours", List.of(26.0, 78.5)),
            Series.of("ours + FEC 10:3", List.of(Double.NaN, 60.0)));
    }

    @Test
    void aContenderHasTheSameColourEverywhere() {
        assertThat(Series.of("ours", List.of()).cssClass()).isEqualTo("s0");
        assertThat(Series.of("kcp-netty", List.of()).cssClass()).isEqualTo("s2");
        assertThat(Series.of("kcp-go + FEC 10:3", List.of()).cssClass()).isEqualTo("s1 variant");
        assertThat(Series.of("kcp-go + FEC 2:1", List.of()).cssClass()).isEqualTo("s1 variant dotted");
        assertThat(Series.of("window 4096", List.of()).cssClass()).isEqualTo("s0 variant");
    }

    @Test
    void aFileThatIsNoneOfOursIsNamed() throws Exception {
        Path file = directory.resolve("other.json");
        Files.writeString(file, "[1, 2");
        assertThatIllegalArgumentException().isThrownBy(() -> Results.read(List.of(file))).withMessageContaining("other.json");
    }
}

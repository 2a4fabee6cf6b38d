package io.kcp.bench.results;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The generator on a folder with one page, one table and two charts. */
class DocumentationTest {

    private static final String TABLES = """
        {"tables": {"echo": {"file": "echo", "metric": "mb_s", "head": "MB/s", "columns": [{"title": "ours", "cell": {"peer": "ours"}},
           {"title": "TCP", "cell": {"peer": "tcp"}}], "rows": [{"title": "echo", "show": "median (range)"}]}},
         "charts": {"bars.svg": {"kind": "bars", "title": "Echo & more", "unit": "MB/s", "file": "echo", "metric": "mb_s", "head": "",
             "columns": [{"title": "ours", "cell": {"peer": "ours"}}, {"title": "TCP", "cell": {"peer": "tcp"}}],
             "rows": [{"title": "echo"}, {"title": "echo again", "only": "TCP"}]},
           "lines.svg": {"kind": "lines", "title": "Delay", "unit": "ms", "axis": "loss, %", "file": "loss", "metric": "p99_ms",
             "keys": [{"title": "loss", "key": "loss", "values": {"0": "0", "5": "5"}}],
             "columns": [{"title": "ours", "cell": {"peer": "ours"}}]}}}
        """;
    private static final String PAGE = """
        # Page

        <!-- table: echo -->
        *Not measured yet.*
        <!-- end of table -->

        <!-- chart: bars.svg -->
        *Not measured yet.*
        <!-- end of chart -->

        <!-- chart: lines.svg -->
        *Not measured yet.*
        <!-- end of chart -->

        The end.
        """;

    @TempDir
    private Path root;

    private Clone clone;

    @BeforeEach
    void createClone() throws Exception {
        clone = new Clone(root).withTables(TABLES).withPage(PAGE);
    }

    private static Clone.Runs echo() {
        return new Clone.Runs().add(Map.of("peer", "ours"), "mb_s", 10, 30, 20).add(Map.of("peer", "tcp"), "mb_s", 123, 45, 67);
    }

    private void addResults() throws Exception {
        clone.withResults("echo", echo()).withResults("loss", new Clone.Runs().add(Map.of("peer", "ours", "loss", "0"), "p99_ms", 25.5)
            .add(Map.of("peer", "ours", "loss", "5"), "p99_ms", 91));
    }

    private static int run(Path root, String... options) {
        String[] arguments = new String[options.length + 2];
        arguments[0] = "--root";
        arguments[1] = root.toString();
        System.arraycopy(options, 0, arguments, 2, options.length);
        return new CommandLine(new Tables()).execute(arguments);
    }

    private Set<String> changed() throws Exception {
        return clone.documentation().changes().keySet().stream().map(file -> file.getFileName().toString()).collect(Collectors.toSet());
    }

    private void replace(Path file, String text, String replacement) throws Exception {
        assertThat(file).content().contains(text);
        Files.writeString(file, Files.readString(file).replace(text, replacement));
    }

    @Test
    void tablesWithoutResultsSayThatTheyAreNotMeasured() throws Exception {
        assertThat(run(root, "--check")).isZero();
        assertThat(clone.documentation().notMeasured()).isEqualTo(
            Map.of("echo", Set.of("echo"), "bars.svg", Set.of("echo"), "lines.svg", Set.of("loss")));
    }

    @Test
    void commandWritesTablesAndCharts() throws Exception {
        addResults();
        assertThat(run(root, "--check")).as("not generated yet").isEqualTo(1);
        assertThat(run(root)).isZero();
        assertThat(clone.page()).content().startsWith("# Page\n\n<!-- table: echo -->\n| MB/s | ours | TCP |\n|---|---|---|\n"
            + "| echo | 20.0 (10.0–30.0) | 67.0 (45.0–123) |\n\nMedians of 3 runs. ")
            .contains("<!-- chart: bars.svg -->\n![Echo & more](../resources/images/bars.svg)\n\n"
                + "[Raw values](../results/echo.json) <!-- SHA-256 ")
            .endsWith("<!-- end of chart -->\n\nThe end.\n");
        assertThat(run(root, "--check")).as("after generating").isZero();
        assertThat(clone.documentation().notMeasured()).isEmpty();
    }

    @Test
    void chartsAreWellFormedAndShowTheValues() throws Exception {
        addResults();
        run(root);
        Path images = root.resolve("src/site/resources/images");
        for (String name : Set.of("bars.svg", "lines.svg")) {
            var document = DocumentBuilderFactory.newInstance().newDocumentBuilder()
                .parse(images.resolve(name).toFile());
            assertThat(document.getDocumentElement().getTagName()).isEqualTo("svg");
        }
        assertThat(images.resolve("bars.svg")).content().contains("Echo &amp; more, MB/s", ">20.0</text>", ">67.0</text>", ">echo again<");
        assertThat(images.resolve("lines.svg")).content().contains("Delay", "loss, %", "points=\"64.0,");
    }

    @Test
    void plantedDigitInAPageIsDetected() throws Exception {
        addResults();
        run(root);
        replace(clone.page(), "| 20.0 (10.0", "| 21.0 (10.0");
        assertThat(changed()).containsExactly("page.md");
        assertThat(run(root, "--check")).isEqualTo(1);
        assertThat(Tables.firstDifference(clone.page(), clone.documentation().changes().get(clone.page()))).startsWith("line 6 is\n")
            .contains("| 21.0 (10.0–30.0) |", "| 20.0 (10.0–30.0) |");
    }

    @Test
    void plantedDigitInAResultFileIsDetected() throws Exception {
        addResults();
        run(root);
        replace(clone.results("echo"), "\"mb_s\":67.0", "\"mb_s\":68.0");
        assertThat(changed()).containsExactlyInAnyOrder("page.md", "bars.svg");
        assertThat(run(root, "--check")).isEqualTo(1);
        run(root);
        replace(clone.results("echo"), "\"order\":2", "\"order\":3");
        assertThat(changed()).as("a digit that no table shows").containsExactly("page.md");
    }

    @Test
    void plantedDigitInAChartIsDetected() throws Exception {
        addResults();
        run(root);
        replace(root.resolve("src/site/resources/images/bars.svg"), ">67.0<", ">68.0<");
        assertThat(changed()).containsExactly("bars.svg");
    }

    @Test
    void valuesWithoutAResultFileAreRejected() throws Exception {
        clone.withPage(PAGE.replaceFirst("\\*Not measured yet.\\*", "| MB/s | 300 |"));
        assertThatIllegalArgumentException().isThrownBy(() -> clone.documentation().changes())
            .withMessageContaining("page.md: the block of the table echo has content, but these result files are missing: [echo]");
    }

    @Test
    void blockWithoutADescriptionIsRejected() throws Exception {
        clone.withPage(PAGE.replace("table: echo", "table: eco"));
        assertThatIllegalArgumentException().isThrownBy(() -> clone.documentation().changes())
            .withMessageContaining("the table eco is not described in tables.json");
    }

    @Test
    void blockWithoutAnEndIsRejected() throws Exception {
        clone.withPage(PAGE.replaceFirst("<!-- end of table -->", ""));
        assertThatIllegalArgumentException().isThrownBy(() -> clone.documentation().changes())
            .withMessageContaining("has no beginning or no end: <!-- table: echo -->");
    }

    @Test
    void unusedDescriptionsAndFilesAreReported() throws Exception {
        addResults();
        clone.withPage("# Page\n").withResults("other", echo());
        assertThat(clone.documentation().unused()).containsExactly("bars.svg", "echo", "lines.svg", "other.json");
        assertThat(run(root, "--check")).isEqualTo(1);
    }

    @Test
    void resultsOfUncommittedProgramsAreRejected() throws Exception {
        Files.writeString(clone.results("echo"), ResultFileFormat.text(echo().file(Clone.COMMIT, true)));
        assertThatIllegalArgumentException().isThrownBy(clone::documentation)
            .withMessageContaining("echo.json: measured with programs that are not in a commit");
    }
}

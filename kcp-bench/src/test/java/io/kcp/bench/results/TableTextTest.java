package io.kcp.bench.results;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TableTextTest {

    private static final Map<String, String> OURS = Map.of("scenario", "echo", "peer", "ours");
    private static final Map<String, String> BLOCKING = Map.of("scenario", "echo", "peer", "ours", "settings", "blocking");
    private static final Map<String, String> SMALL_WINDOW = Map.of("scenario", "echo", "peer", "kcp-go", "settings", "window 1024");
    private static final Map<String, String> LARGE_WINDOW = Map.of("scenario", "echo", "peer", "kcp-go", "settings", "window 4096");

    @TempDir
    private Path directory;

    private String table(String json, Clone.Runs runs) throws Exception {
        Path file = Files.writeString(directory.resolve("tables.json"), json.replace('\'', '"'));
        TableSpec spec = TableSpec.read("echo", StrictObject.read(file));
        return new TableText(spec, Map.of("a", runs.file())).text();
    }

    /** Returns the text of the only value of a table with these attributes. */
    private String value(String attributes, Clone.Runs runs) throws Exception {
        String table = table("{'file': 'a', 'head': '', 'columns': [{'title': 'x'}], 'rows': [{'title': 'y', " + attributes + "}]}", runs);
        return table.lines().skip(2).findFirst().orElseThrow().replace("| y ", "");
    }

    private static Clone.Runs runs() {
        return new Clone.Runs().add(OURS, "mb_s", 300, 100, 200).add(BLOCKING, "mb_s", 50)
            .add(SMALL_WINDOW, Map.of("mb_s", 10.0, "cpu", 1.0)).add(LARGE_WINDOW, Map.of("mb_s", 20.0, "cpu", 3.0));
    }

    @Test
    void attributesOfTableColumnAndRowAreUnited() throws Exception {
        assertThat(table("""
            {'file': 'a', 'metric': 'mb_s', 'cell': {'scenario': 'echo'}, 'head': 'echo',
             'columns': [{'title': 'ours', 'cell': {'peer': 'ours', 'settings': ''}, 'show': 'median (range)'},
                         {'title': 'kcp-go', 'cell': {'peer': 'kcp-go'}, 'best': 'highest mb_s'},
                         {'title': 'reason', 'note': true}],
             'rows': [{'title': 'MB/s', 'note': 'fewer system calls'},
                      {'title': '… blocking', 'cell': {'settings': 'blocking'}, 'only': ['ours']},
                      {'title': 'CPU', 'metric': 'cpu', 'only': 'kcp-go'}]}
            """, runs())).isEqualTo("""
            | echo | ours | kcp-go | reason |
            |---|---|---|---|
            | MB/s | 200 (100–300) | 20.0 | fewer system calls |
            | … blocking | 50.0 | | |
            | CPU | | 3.00 | |

            Medians of 1 to 3 runs. Measured on 29 November 2026 with commit 01234567 on AMD EPYC 7B13, 2 processors, Linux 6.18.5, \
            JDK 17.0.15, Go 1.26.1; the host took at most 0.5 % of the CPU time of a run. Command: \
            `java -cp benchmarks.jar Experiments side-by-side`
            """);
    }

    @Test
    void rowsAreTheCombinationsOfKeys() throws Exception {
        Clone.Runs runs = new Clone.Runs();
        for (String loss : new String[] {"0", "5"}) {
            runs.add(Map.of("loss", loss, "peer", "ours"), "mb_s", 10 + Double.parseDouble(loss))
                .add(Map.of("loss", loss, "peer", "tcp"), "mb_s", 20);
        }
        assertThat(table("""
            {'file': 'a', 'metric': 'mb_s', 'keys': [{'title': 'loss, %', 'key': 'loss', 'values': {'0': '0', '5': '5'}},
               {'title': 'peer', 'key': 'peer', 'values': {'tcp': 'TCP', 'ours': 'this library'}}],
             'columns': [{'title': 'MB/s', 'decimals': 0}, {'title': '% of the best', 'percentOfBest': 'peer', 'decimals': 0}]}
            """, runs)).startsWith("""
            | loss, % | peer | MB/s | % of the best |
            |---|---|---|---|
            | 0 | TCP | 20 | 100 |
            | 0 | this library | 10 | 50 |
            | 5 | TCP | 20 | 100 |
            | 5 | this library | 15 | 75 |

            One run for each value. Measured""");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '#', quoteCharacter = '`', value = {
        "'show': 'median'#200", "'show': 'median (range)'#200 (100–300)", "'show': 'median (highest)'#200 (≤ 300)",
        "'show': 'range'#100–300",
        "'show': 'highest'#300", "'show': 'lowest'#100", "'show': 'runs'#3", "'divide': 1000#0.20", "'decimals': 3#200.000",
        "'suffix': ' MB/s'#200 MB/s", "'metric': ['mb_s', 'mb_s']#200; 200",
        "'ratioTo': {'settings': 'blocking'}, 'show': 'median (range)', 'suffix': '×'#4.00× (2.00–6.00)"})
    void valueIsShownAsDescribed(String attributes, String expected) throws Exception {
        String metric = attributes.contains("metric") ? "" : "'metric': 'mb_s', ";
        assertThat(value(metric + "'cell': {'peer': 'ours', 'settings': ''}, " + attributes, runs())).isEqualTo("| " + expected + " |");
    }

    @Test
    void bestCellMayBeThatOfAnotherMetric() throws Exception {
        String kcpGo = "'cell': {'peer': 'kcp-go'}, ";
        assertThat(value(kcpGo + "'metric': 'cpu', 'best': 'highest mb_s', 'label': 'settings'", runs()))
            .isEqualTo("| 3.00, window 4096 |");
        assertThat(value(kcpGo + "'metric': 'mb_s', 'best': 'lowest cpu'", runs())).isEqualTo("| 10.0 |");
    }

    @Test
    void failedAndLostRunsAreShown() throws Exception {
        Clone.Runs runs = new Clone.Runs().add(OURS, "p99", 3, 1, 2).add(OURS, Map.of("p50", 1.0)).addFailure(OURS).addFailure(BLOCKING);
        String ours = "'cell': {'peer': 'ours', 'settings': ''}, 'metric': 'p99', ";
        assertThat(value(ours + "'show': 'median (range)'", runs)).isEqualTo("| 2.50 (1.00–∞), 1 of 5 runs failed |");
        assertThat(value("'cell': {'settings': 'blocking'}, 'metric': 'p99'", runs)).isEqualTo("| failed |");
        runs.add(SMALL_WINDOW, "p50", 7);
        assertThat(value("'cell': {'peer': 'kcp-go'}, 'metric': ['p50', 'p99']", runs)).as("all messages were lost")
            .isEqualTo("| 7.00; – |");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '#', quoteCharacter = '`', value = {
        "'metric': 'mb_s', 'cell': {'peer': 'quic'}#no run of side-by-side has the cell {peer=quic}",
        "'metric': 'mb_s', 'cell': {'peer': 'kcp-go'}#several cells of side-by-side have {peer=kcp-go}",
        "'metric': 'mb_s', 'cell': {'peer': 'kcp-go'}, 'best': 'mb_s'#best must be 'highest METRIC'",
        "'metric': 'mbs', 'cell': {'settings': 'blocking'}#no run of side-by-side has the metric mbs",
        "'metric': 'mb_s', 'cell': {'settings': 'blocking'}, 'show': 'mean'#unknown value of show: mean",
        "'cell': {'settings': 'blocking'}#the attribute metric is missing",
        "'metric': 'mb_s', 'colour': 'red'#rows[0].colour is not a known field",
        "'metric': 'mb_s', 'only': ['z']#rows[0].only has no such column: [z]"})
    void faultyDescriptionIsReported(String attributes, String message) {
        assertThatIllegalArgumentException().isThrownBy(() -> value(attributes, runs())).withMessageContaining(message);
    }

    @Test
    void errorNamesTableRowAndColumn() {
        assertThatIllegalArgumentException().isThrownBy(() -> value("'metric': 'mbs', 'cell': {'settings': 'blocking'}", runs()))
            .withMessageStartingWith("table echo, row [y], column x: ");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '#', quoteCharacter = '`', value = {
        "3984.4#3,980", "2915321#2,920,000", "10.34#10.3", "0.438#0.44", "5#5.00", "9.996#10.0", "0#0",
        "0.0613#0.06", "0.0031#0.003", "-12.34#-12.3", "999.6#1,000", "NaN#–", "Infinity#∞"})
    void numbersHaveThreeSignificantDigits(double value, String text) {
        assertThat(Numbers.format(value, null)).isEqualTo(text);
    }
}

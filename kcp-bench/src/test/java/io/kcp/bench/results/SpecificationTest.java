package io.kcp.bench.results;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.bench.experiment.KnownCells;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** The tables and charts of this repository's documentation, and the description of them in {@code src/site/results/tables.json}. */
class SpecificationTest {

    /** The root folder of the repository, which is the parent of the module folder in which tests run. */
    static final Path ROOT = Path.of("").toAbsolutePath().getParent();

    /** Result files of the simulations of kcp-testkit, whose values are named in src/build/measure.sh. */
    private static final Set<String> SIMULATED = Set.of("simulated-links", "shared-links", "auto-settings", "recipes");
    private static final String REGENERATE = "run java -cp kcp-bench/target/benchmarks.jar io.kcp.bench.results.Tables";

    @Test
    void pagesAndChartsMatchTheResultFiles() throws Exception {
        Documentation documentation = new Documentation(ROOT);
        Map<String, String> differences = new TreeMap<>();
        for (Map.Entry<Path, String> change : documentation.changes().entrySet()) {
            differences.put(ROOT.relativize(change.getKey()).toString(), Tables.firstDifference(change.getKey(), change.getValue()));
        }
        assertThat(differences).as(REGENERATE).isEmpty();
        assertThat(documentation.unused()).as("descriptions without a page, and result files without a table").isEmpty();
        documentation.notMeasured().forEach((table, files) -> System.out.println("Not measured yet: " + table + " needs " + files));
    }

    /** Invented results with exactly the cells that the descriptions name. A description with a misspelled attribute fails. */
    @Test
    void everyTableAndChartCanBeGenerated() throws Exception {
        Documentation documentation = new Documentation(ROOT);
        Map<String, TableSpec> tables = documentation.all();
        Map<String, ResultFile> files = invented(tables.values());
        tables.forEach((name, table) -> {
            String text = new TableText(table, files).text();
            assertThat(text.lines().filter(line -> line.startsWith("| "))).as(name).hasSize(table.rows().size() + 1);
            assertThat(text).as(name).contains("Measured on 29 November 2026").doesNotContain("failed", "–", "∞");
        });
        documentation.charts().forEach((name, chart) -> assertThat(chart.svg(files)).as(name).startsWith("<svg").endsWith("</svg>\n"));
    }

    @Test
    void describedCellsAndMetricsAreThoseOfTheExperiments() throws Exception {
        Set<String> unknown = new TreeSet<>();
        new Documentation(ROOT).all().forEach((name, table) -> table.rows().forEach(row -> table.columns().stream()
            .filter(column -> !column.isNote() && row.has(column)).map(column -> table.attributes(row, column))
            .filter(attributes -> !SIMULATED.contains(attributes.file())).forEach(attributes -> {
                if (!KnownCells.exist(String.valueOf(attributes.file()), attributes.cell())) {
                    unknown.add(name + ": cell " + attributes.cell());
                }
                attributes.metric().stream().filter(metric -> !KnownCells.metrics().contains(metric))
                    .forEach(metric -> unknown.add(name + ": metric " + metric));
            })));
        assertThat(unknown).isEmpty();
    }

    private static Map<String, ResultFile> invented(Iterable<TableSpec> tables) {
        Map<String, Map<Map<String, String>, Set<String>>> metrics = new TreeMap<>();
        for (TableSpec table : tables) {
            for (TableSpec.Row row : table.rows()) {
                table.columns().stream().filter(column -> !column.isNote() && row.has(column)).map(column -> table.attributes(row, column))
                    .forEach(attributes -> metrics.computeIfAbsent(attributes.file(), any -> new LinkedHashMap<>())
                        .computeIfAbsent(cell(attributes), any -> new LinkedHashSet<>()).addAll(attributes.metric()));
            }
        }
        Map<String, ResultFile> files = new HashMap<>();
        metrics.forEach((file, cells) -> {
            Clone.Runs runs = new Clone.Runs();
            Set<String> all = new LinkedHashSet<>();
            cells.values().forEach(all::addAll);
            Map<String, Double> values = new LinkedHashMap<>();
            all.forEach(metric -> values.put(metric, 1.0 + values.size()));
            cells.keySet().forEach(cell -> runs.add(cell, values));
            files.put(file, runs.file());
        });
        return files;
    }

    private static Map<String, String> cell(Attributes attributes) {
        Map<String, String> cell = new LinkedHashMap<>(attributes.cell());
        cell.values().removeIf(String::isEmpty);
        return cell;
    }
}

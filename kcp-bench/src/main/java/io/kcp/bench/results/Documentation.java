package io.kcp.bench.results;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The result files, the description of all tables and charts, and the pages of a clone of the repository. */
final class Documentation {

    private static final String SPECIFICATION = "tables.json";

    private final Path root;
    private final Map<String, ResultFile> files = new TreeMap<>();
    private final Map<String, TableSpec> tables = new LinkedHashMap<>();
    private final Map<String, ChartSpec> charts = new LinkedHashMap<>();

    /** Reads the result files and the description in {@code src/site/results}. */
    Documentation(Path root) throws IOException {
        this.root = root;
        Path results = root.resolve("src/site/results");
        for (Path file : list(results, ".json")) {
            String name = String.valueOf(file.getFileName());
            if (!name.equals(SPECIFICATION)) {
                files.put(name.substring(0, name.length() - ".json".length()), complete(file));
            }
        }
        StrictObject specification = StrictObject.read(results.resolve(SPECIFICATION));
        StrictObject allTables = specification.object("tables");
        allTables.fields().forEach(name -> tables.put(name, TableSpec.read(name, allTables.object(name))));
        StrictObject allCharts = specification.object("charts");
        allCharts.fields().forEach(name -> charts.put(name, ChartSpec.read(name, allCharts.object(name))));
        specification.end();
    }

    private static ResultFile complete(Path file) throws IOException {
        ResultFile results = ResultFile.read(file);
        if (results.commit() == null || results.modified()) {
            throw new IllegalArgumentException(file + ": measured with programs that are not in a commit. Commit them and measure again");
        }
        if (results.jarSha256() == null) {
            throw new IllegalArgumentException(file + ": jarSha256 is missing. Measure with a jar instead of a folder of classes");
        }
        return results;
    }

    private static List<Path> list(Path folder, String suffix) throws IOException {
        try (Stream<Path> found = Files.walk(folder)) {
            return found.filter(file -> file.toString().endsWith(suffix)).sorted().toList();
        }
    }

    /** Returns the README and the pages of the guide. */
    List<Path> pages() throws IOException {
        List<Path> pages = new ArrayList<>(List.of(root.resolve("README.md")));
        pages.addAll(list(root.resolve("src/site/markdown"), ".md"));
        return pages;
    }

    /** Returns the current text of each page and chart that has to change, by its file. */
    Map<Path, String> changes() throws IOException {
        Map<Path, String> changes = new LinkedHashMap<>();
        for (Path page : pages()) {
            String text = Files.readString(page);
            putIfChanged(changes, page, named(page, () -> new GeneratedPage(text).with(block -> content(page, block))));
        }
        for (Map.Entry<String, ChartSpec> chart : charts.entrySet()) {
            if (isMeasured(chart.getValue().table())) {
                putIfChanged(changes, image(chart.getKey()), chart.getValue().svg(files));
            }
        }
        return changes;
    }

    private static <T> T named(Path page, Supplier<T> action) {
        try {
            return action.get();
        } catch (IllegalArgumentException invalid) {
            throw new IllegalArgumentException(page + ": " + invalid.getMessage(), invalid);
        }
    }

    private static void putIfChanged(Map<Path, String> changes, Path file, String text) throws IOException {
        if (!Files.exists(file) || !Files.readString(file).equals(text)) {
            changes.put(file, text);
        }
    }

    private String content(Path page, GeneratedPage.Block block) {
        ChartSpec chart = block.kind().equals("chart") ? charts.get(block.name()) : null;
        TableSpec table = chart == null ? tables.get(block.name()) : chart.table();
        if (table == null || chart == null && block.kind().equals("chart")) {
            throw new IllegalArgumentException("the " + block.kind() + ' ' + block.name() + " is not described in " + SPECIFICATION);
        }
        if (!isMeasured(table)) {
            if (block.isMeasured()) {
                throw new IllegalArgumentException("the block of the " + block.kind() + ' ' + block.name()
                    + " has content, but these result files are missing: " + missingFiles(table));
            }
            return GeneratedPage.NOT_MEASURED;
        }
        return (chart == null ? new TableText(table, files).text() : "![" + chart.title() + "](" + link(page, image(block.name())) + ")\n")
            + '\n' + table.files().stream().map(name -> source(page, name)).collect(Collectors.joining());
    }

    /** Returns a link to a result file. Its hash makes every change of the file a change of the page, even if no median changes. */
    private String source(Path page, String name) {
        Path file = results(name);
        return "[Raw values](" + link(page, file) + ") <!-- SHA-256 " + Sources.sha256(file) + " -->\n";
    }

    private static String link(Path page, Path target) {
        return page.resolveSibling("").relativize(target).toString().replace('\\', '/');
    }

    private Path results(String name) {
        return root.resolve("src/site/results").resolve(name + ".json");
    }

    private Path image(String name) {
        return root.resolve("src/site/resources/images").resolve(name);
    }

    private boolean isMeasured(TableSpec table) {
        return missingFiles(table).isEmpty();
    }

    private Set<String> missingFiles(TableSpec table) {
        Set<String> missing = new TreeSet<>(table.files());
        missing.removeAll(files.keySet());
        return missing;
    }

    /** Returns the tables and charts that cannot be generated, with the result files that are missing. */
    Map<String, Set<String>> notMeasured() {
        Map<String, Set<String>> names = new TreeMap<>();
        all().forEach((name, table) -> {
            if (!isMeasured(table)) {
                names.put(name, missingFiles(table));
            }
        });
        return names;
    }

    /** Returns the descriptions of all charts. */
    Map<String, ChartSpec> charts() {
        return charts;
    }

    /** Returns the descriptions of all tables and of the values of all charts. */
    Map<String, TableSpec> all() {
        Map<String, TableSpec> all = new TreeMap<>(tables);
        charts.forEach((name, chart) -> all.put(name, chart.table()));
        return all;
    }

    /** Returns the descriptions that no page uses and the result files that no description uses. */
    Set<String> unused() throws IOException {
        Set<String> unused = new TreeSet<>(all().keySet());
        for (Path page : pages()) {
            String text = Files.readString(page);
            unused.removeAll(named(page, () -> new GeneratedPage(text)).blocks().stream().map(GeneratedPage.Block::name)
                .collect(Collectors.toSet()));
        }
        Set<String> unusedFiles = new HashSet<>(files.keySet());
        all().values().forEach(table -> unusedFiles.removeAll(table.files()));
        unusedFiles.forEach(name -> unused.add(name + ".json"));
        return unused;
    }

    /** Writes all changes. */
    static void write(Map<Path, String> changes) {
        changes.forEach((file, text) -> {
            try {
                Files.createDirectories(file.resolveSibling("."));
                Files.writeString(file, text);
            } catch (IOException failure) {
                throw new UncheckedIOException(failure);
            }
        });
    }
}

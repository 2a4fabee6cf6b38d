package io.kcp.bench.results;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A folder with the structure of a clone, which contains result files with invented values. */
final class Clone {

    static final String COMMIT = "0123456789abcdef0123456789abcdef01234567";

    private final Path root;

    Clone(Path root) throws IOException {
        this.root = root;
        for (String folder : List.of("src/site/results", "src/site/markdown", "src/site/resources/images")) {
            Files.createDirectories(root.resolve(folder));
        }
        Files.writeString(root.resolve("README.md"), "# Readme\n");
    }

    Path page() {
        return root.resolve("src/site/markdown/page.md");
    }

    Path results(String name) {
        return root.resolve("src/site/results").resolve(name + ".json");
    }

    Clone withPage(String text) throws IOException {
        Files.writeString(page(), text);
        return this;
    }

    Clone withTables(String json) throws IOException {
        Files.writeString(root.resolve("src/site/results/tables.json"), json);
        return this;
    }

    Clone withResults(String name, Runs runs) throws IOException {
        Files.writeString(results(name), ResultFileFormat.text(runs.file()));
        return this;
    }

    Documentation documentation() throws IOException {
        return new Documentation(root);
    }

    /** Collects runs with invented values. */
    static final class Runs {

        private final List<ResultFile.Run> runs = new ArrayList<>();

        /** Adds a run for each value. */
        Runs add(Map<String, String> cell, String metric, double... values) {
            for (double value : values) {
                add(cell, Map.of(metric, value));
            }
            return this;
        }

        Runs add(Map<String, String> cell, Map<String, Double> metrics) {
            runs.add(new ResultFile.Run(cell, 1, runs.size() + 1, 0.1 * runs.size(), metrics, null));
            return this;
        }

        Runs addFailure(Map<String, String> cell) {
            runs.add(new ResultFile.Run(cell, 1, runs.size() + 1, null, Map.of(), "connection refused"));
            return this;
        }

        ResultFile file() {
            return file(COMMIT, false);
        }

        ResultFile file(String commit, boolean modified) {
            return new ResultFile("side-by-side", Instant.parse("2026-11-29T12:00:00Z"), Instant.parse("2026-11-29T13:00:00Z"), commit,
                modified, "java -cp benchmarks.jar Experiments side-by-side", "ab", new Machine("AMD EPYC 7B13", 2,
                    "Linux 6.18.5-amd64 amd64", "OpenJDK 64-Bit Server VM 17.0.15+6-LTS"), "go1.26.1", Map.of(), List.copyOf(runs));
        }
    }
}

package io.kcp.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The results of simulated runs by a name that identifies the run. With a file, each result is appended to the file as soon as the run has
 * ended, and a run whose result the file contains is not repeated. A table can therefore be interrupted, and more seeds can be added later.
 * Delete the file after a change of the code that is measured.
 */
final class RunResults {

    private static final String SEPARATOR = "\t";

    private final Map<String, double[]> results = new HashMap<>();
    private final @Nullable Path file;

    /** Reads the earlier results from a file, if there is one. Without a file, results are kept in memory only. */
    RunResults(@Nullable String fileName) {
        file = fileName == null ? null : Path.of(fileName);
        if (file != null && Files.exists(file)) {
            try {
                for (String line : Files.readAllLines(file)) {
                    String[] fields = line.split(SEPARATOR);
                    results.put(fields[0], Arrays.stream(fields, 1, fields.length).mapToDouble(Double::parseDouble).toArray());
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** Returns the result of a run, and carries out the run if its result is not known. */
    double[] get(String name, Supplier<double[]> run) {
        double[] known = results.get(name);
        if (known != null) {
            return known;
        }
        double[] result = run.get();
        results.put(name, result);
        if (file != null) {
            String line = name + SEPARATOR + Arrays.stream(result).mapToObj(Double::toString).collect(Collectors.joining(SEPARATOR));
            try {
                Files.write(file, List.of(line), StandardOpenOption.CREATE, StandardOpenOption.APPEND);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return result;
    }
}

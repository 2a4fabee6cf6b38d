package io.kcp.bench.results;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Raw values of all runs of an experiment, with what is needed to repeat them: commit, command, machine and options. Files in
 * {@code src/site/results} are the source of the documentation's tables; {@link Tables} generates these.
 *
 * @param commit    full hash of the commit in the working directory, or null outside a clone
 * @param modified  {@code true} if programs differed from the commit; changed documents and result files do not count
 * @param command   the command that repeats the experiment
 * @param jarSha256 hash of the jar that ran, or null if the classes were not in a jar
 * @param go        version of Go that built the peers, or null if none were built with Go
 */
public record ResultFile(String experiment, Instant started, Instant finished, @Nullable String commit, boolean modified, String command,
    @Nullable String jarSha256, Machine machine, @Nullable String go, Map<String, String> options, List<Run> runs) {

    /** Version of the format. Files with another version are rejected. */
    public static final int FORMAT = 1;

    /**
     * One run of one cell, such as one scenario with one peer.
     *
     * @param cell         what was measured; the keys depend on the experiment
     * @param round        number of the round, counted from 1
     * @param order        position of the run within the experiment, counted from 1
     * @param stealPercent share of the CPU time that the host took from the virtual machine, or null if it is unknown
     * @param metrics      measured values; empty if the run failed
     * @param failure      the error message of a failed run, or null
     */
    public record Run(Map<String, String> cell, int round, int order, @Nullable Double stealPercent, Map<String, Double> metrics,
        @Nullable String failure) {

        /** Returns {@code true} if the cell has all of these entries. An empty value means that the cell does not have the key. */
        public boolean isOf(Map<String, String> entries) {
            return entries.entrySet().stream().allMatch(entry -> cell.getOrDefault(entry.getKey(), "").equals(entry.getValue()));
        }
    }

    /** Starts an experiment on this machine at this time. The command line is the complete one, including {@code java}. */
    public static Builder start(String experiment, List<String> commandLine, Map<String, String> options) {
        return new Builder(experiment, commandLine, options);
    }

    /**
     * Reads a file.
     *
     * @throws IllegalArgumentException if the file has another format, lacks a field or has an unknown one; the message names both
     */
    public static ResultFile read(Path file) throws IOException {
        return new ResultFileFormat(file).read();
    }

    /** Collects the runs of an experiment. A builder is not thread-safe. */
    public static final class Builder {

        private static final Pattern PLAIN = Pattern.compile("[\\w./:=,+@%-]+");

        private final String experiment;
        private final String command;
        private final Map<String, String> options;
        private final Instant started = now();
        private final Machine machine = Machine.current();
        private final Sources sources = Sources.current();
        private final @Nullable String jarSha256 = Sources.jarSha256();
        private final List<Run> runs = new ArrayList<>();
        private @Nullable String go;

        private Builder(String experiment, List<String> commandLine, Map<String, String> options) {
            this.experiment = experiment;
            this.command = commandLine.stream().map(Builder::quoted).collect(Collectors.joining(" "));
            this.options = new LinkedHashMap<>(options);
        }

        private static String quoted(String argument) {
            return PLAIN.matcher(argument).matches() ? argument : '\'' + argument.replace("'", "'\\''") + '\'';
        }

        private static Instant now() {
            return Instant.now().truncatedTo(ChronoUnit.SECONDS);
        }

        /** Sets the version of Go that built the peers. */
        public Builder go(String version) {
            this.go = version;
            return this;
        }

        /** Adds the values of a run. Unknown values (NaN) are left out. */
        public Builder add(Map<String, String> cell, int round, double stealPercent, Map<String, Double> metrics) {
            Map<String, Double> known = new LinkedHashMap<>(metrics);
            known.values().removeIf(value -> !Double.isFinite(value));
            return add(cell, round, Double.isFinite(stealPercent) ? stealPercent : null, known, null);
        }

        /** Adds a run that failed. */
        public Builder addFailure(Map<String, String> cell, int round, String message) {
            return add(cell, round, null, Map.of(), message);
        }

        private Builder add(Map<String, String> cell, int round, @Nullable Double stealPercent, Map<String, Double> metrics,
            @Nullable String failure) {
            runs.add(new Run(new LinkedHashMap<>(cell), round, runs.size() + 1, stealPercent, metrics, failure));
            return this;
        }

        /** Returns the file with all runs so far. */
        public ResultFile build() {
            return new ResultFile(experiment, started, now(), sources.commit(), sources.modified(), command, jarSha256, machine, go,
                options, List.copyOf(runs));
        }

        /**
         * Writes all runs so far, and creates the directory if necessary. Call this method after each run, so that an interrupted
         * experiment keeps its values. The file is replaced at once and is therefore complete at any time.
         */
        public void write(Path file) throws IOException {
            Path target = file.toAbsolutePath();
            Files.createDirectories(target.resolveSibling("."));
            Path part = target.resolveSibling(target.getFileName() + ".part");
            Files.writeString(part, ResultFileFormat.text(build()));
            Files.move(part, target, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
        }
    }
}

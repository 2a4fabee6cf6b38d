package io.kcp.bench;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import tools.jackson.core.JacksonException;

/**
 * Content of the JSON file that {@link SideBySide} writes and {@link Report} reads. It describes the machine, the settings and the
 * measured scenarios.
 *
 * @param commit commit of the working directory; a plus sign marks uncommitted changes
 */
record ResultsFile(String date, String commit, String command, String cpu, int cores, String system, String jdk, double loadAverage,
    int rounds, double seconds, boolean quick, List<Measured> scenarios) {

    private static final String UNKNOWN = "unknown";

    /** Scenario with the runs of all contenders, and with the last error message of each contender that failed. */
    record Measured(String name, String title, String layers, List<Metric> metrics, List<Runs> contenders, List<Target.Outcome> targets,
        Map<String, String> failures) {
    }

    /** Runs of one contender and the medians of their metrics. */
    record Runs(String name, Map<Metric, Double> median, List<Map<Metric, Double>> runs) {

        double median(Metric metric) {
            return median.getOrDefault(metric, Double.NaN);
        }
    }

    /** Creates the content for a command that has no results yet, with a description of this machine. */
    static ResultsFile describe(CommandLine command, int rounds, double seconds, boolean quick) {
        String program = command.getCommandSpec().userObject().getClass().getSimpleName();
        return new ResultsFile(Instant.now().truncatedTo(ChronoUnit.SECONDS).toString(), gitCommit(),
            program + ' ' + String.join(" ", command.getParseResult().originalArgs()), cpuModel(),
            Runtime.getRuntime().availableProcessors(),
            System.getProperty("os.name") + ' ' + System.getProperty("os.version") + ' ' + System.getProperty("os.arch"),
            System.getProperty("java.vm.name") + ' ' + System.getProperty("java.runtime.version"),
            ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage(), rounds, seconds, quick, List.of());
    }

    ResultsFile with(List<Measured> measured) {
        return new ResultsFile(date, commit, command, cpu, cores, system, jdk, loadAverage, rounds, seconds, quick, measured);
    }

    static ResultsFile read(Path file) throws IOException {
        try {
            return Json.MAPPER.readValue(Files.readString(file), ResultsFile.class);
        } catch (JacksonException invalid) {
            throw new IllegalArgumentException(file + " is not a results file of SideBySide: " + invalid.getOriginalMessage(), invalid);
        }
    }

    /** Creates the directory of the file if necessary, and writes the file. */
    void write(Path file) throws IOException {
        Files.createDirectories(file.toAbsolutePath().resolveSibling("."));
        Files.writeString(file, Json.MAPPER.writerWithDefaultPrettyPrinter().writeValueAsString(this) + '\n');
    }

    /** Returns the model name of this machine's processor. */
    static String cpuModel() {
        try {
            return Files.readAllLines(Path.of("/proc/cpuinfo")).stream().filter(line -> line.startsWith("model name"))
                .map(line -> line.substring(line.indexOf(':') + 1).strip()).findFirst().orElse(UNKNOWN);
        } catch (IOException notLinux) {
            return UNKNOWN;
        }
    }

    private static String gitCommit() {
        try {
            Process git = new ProcessBuilder("git", "describe", "--always", "--dirty=+").redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
            String commit = new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            return commit.isEmpty() ? UNKNOWN : commit;
        } catch (IOException noGit) {
            return UNKNOWN;
        }
    }
}

package io.kcp.bench.experiment;

import io.kcp.bench.results.ResultFile;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Command of an experiment. */
abstract class ExperimentCommand implements Experiment, Callable<Integer> {

    /** Exit code on machines that cannot run an experiment. */
    static final int SKIPPED = 77;

    private static final Set<String> NOT_RECORDED = Set.of("--list", "--out", "--interop", "--help", "--version");

    @Mixin
    final RunOptions run;

    @Spec
    @SuppressWarnings("NullAway.Init")
    CommandLine.Model.CommandSpec spec;

    final PrintStream out = System.out;

    /** Creates the command with its default values. */
    ExperimentCommand(RunOptions run) {
        this.run = run;
    }

    /** Returns the reason why this machine cannot run the experiment, or null. */
    @Nullable String obstacle() throws IOException, InterruptedException {
        return null;
    }

    /** Returns the description of a group with a separator, or an empty text. */
    String title(String group) {
        return "";
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        String obstacle = run.list ? null : obstacle();
        if (obstacle != null) {
            out.println("skipped: " + obstacle);
            return SKIPPED;
        }
        List<Cell> cells;
        try {
            cells = cells();
        } catch (IllegalStateException failure) {
            throw new ParameterException(spec.commandLine(), String.valueOf(failure.getMessage()), failure);
        }
        if (run.list) {
            Map<String, List<String>> groups = new LinkedHashMap<>();
            cells.forEach(cell -> groups.computeIfAbsent(cell.group(), any -> new ArrayList<>()).add(cell.contender()));
            groups.forEach((group, contenders) -> out.println(group + ": " + title(group) + String.join(", ", contenders)));
            return 0;
        }
        if (cells.isEmpty()) {
            throw new ParameterException(spec.commandLine(), "no cell is selected that can run on this machine");
        }
        ResultFile.Builder file = ResultFile.start(spec.name(), commandLine(), recordedOptions());
        String go = goVersion(run.interop);
        if (go != null) {
            file.go(go);
        }
        Results results = new Runner(this, run, file, out).run(cells);
        out.print(new Summary(results).text());
        List<Requirement> requirements = requirements(results);
        requirements.forEach(requirement -> out.println((requirement.reached() ? "reached: " : "NOT REACHED: ") + requirement.text()));
        boolean missed = isGate() && !requirements.stream().allMatch(Requirement::reached);
        boolean failed = !results.failures().keySet().stream().allMatch(this::mayFail);
        return missed || failed ? CommandLine.ExitCode.SOFTWARE : 0;
    }

    /** Returns the version of Go that has built the programs of a directory, or null if there is none. */
    static @Nullable String goVersion(Path programs) throws IOException {
        Path go = programs.resolve("go").toAbsolutePath();
        if (!Files.isExecutable(go)) {
            return null;
        }
        Process version = new ProcessBuilder(go.toString(), "version").redirectErrorStream(true).start();
        String[] words = new String(version.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip().split(" ", -1);
        return words.length > 2 ? words[2] : null;
    }

    /** Returns the command that repeats the experiment, with the seed even if it was drawn. */
    private List<String> commandLine() {
        List<String> command = new ArrayList<>(List.of("java", "-cp", "kcp-bench/target/benchmarks.jar", "io.kcp.bench.Experiments"));
        command.addAll(spec.root().commandLine().getParseResult().originalArgs());
        if (!spec.commandLine().getParseResult().hasMatchedOption("--seed")) {
            command.addAll(List.of("--seed", Long.toString(run.seed)));
        }
        return command;
    }

    private Map<String, String> recordedOptions() {
        Map<String, String> values = new LinkedHashMap<>();
        for (CommandLine.Model.OptionSpec option : spec.options()) {
            Object value = option.getValue();
            if (value != null && !NOT_RECORDED.contains(option.longestName())) {
                values.put(option.longestName().substring(2), value instanceof List<?> list
                    ? list.stream().map(Object::toString).collect(Collectors.joining(",")) : value.toString());
            }
        }
        return values;
    }

    /** Checks the names that were passed to an option. An unknown name is a usage error. */
    void requireKnown(String option, List<String> names, List<String> known) {
        for (String name : names) {
            if (!known.contains(name)) {
                throw new ParameterException(spec.commandLine(), option + ": " + name + " (expected: " + String.join(", ", known) + ')');
            }
        }
    }
}

package io.kcp.bench.experiment;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.bench.results.ResultFile;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Runs the command {@code Experiments} within the JVM of a test, and captures what it prints. */
final class ExperimentProgram {

    private final Path directory;
    private String output = "";

    /** Creates a program that writes its results to a directory. */
    ExperimentProgram(Path directory) {
        this.directory = directory;
    }

    /** Returns what the latest run has printed. */
    String output() {
        return output;
    }

    /** Runs an experiment, which must succeed. */
    ResultFile run(String command) throws IOException {
        Path out = directory.resolve("sub").resolve("results.json");
        List<String> arguments = new ArrayList<>(Arrays.asList(command.split(" ")));
        arguments.addAll(List.of("--out", out.toString()));
        assertThat(execute(arguments.toArray(String[]::new))).as(() -> output).isZero();
        return ResultFile.read(out);
    }

    /** Runs an experiment and returns the exit code. */
    int execute(String... arguments) {
        PrintStream out = System.out;
        PrintStream err = System.err;
        ByteArrayOutputStream captured = new ByteArrayOutputStream();
        PrintStream capture = new PrintStream(captured, true, StandardCharsets.UTF_8);
        System.setOut(capture);
        System.setErr(capture);
        try {
            return ExperimentCommands.newCommandLine().execute(arguments);
        } finally {
            System.setOut(out);
            System.setErr(err);
            output = captured.toString(StandardCharsets.UTF_8);
        }
    }
}

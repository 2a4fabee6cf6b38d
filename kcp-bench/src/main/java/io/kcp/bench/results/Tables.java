package io.kcp.bench.results;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Writes the tables and charts of the README and the guide from the files in {@code src/site/results}.
 *
 * <pre>
 * java -cp kcp-bench/target/benchmarks.jar io.kcp.bench.results.Tables
 * </pre>
 */
@Command(name = "tables", description = "Writes the tables and charts of the documentation from result files.",
    mixinStandardHelpOptions = true)
public final class Tables implements Callable<Integer> {

    @Option(names = "--root", defaultValue = ".", description = "root folder of the clone (the working directory)")
    @SuppressWarnings("NullAway.Init")
    private Path root;

    @Option(names = "--check", description = "write nothing, and fail if a page or chart differs from the result files")
    private boolean check;

    /** Runs the command and exits. */
    public static void main(String[] arguments) {
        System.exit(new CommandLine(new Tables()).execute(arguments));
    }

    @Override
    public Integer call() throws IOException {
        try {
            return generate();
        } catch (IllegalArgumentException invalid) {
            System.err.println(invalid.getMessage());
            return CommandLine.ExitCode.SOFTWARE;
        }
    }

    private int generate() throws IOException {
        Documentation documentation = new Documentation(root.toAbsolutePath().normalize());
        Map<Path, String> changes = documentation.changes();
        for (Map.Entry<Path, String> change : changes.entrySet()) {
            System.out.println(change.getKey() + ": " + firstDifference(change.getKey(), change.getValue()));
        }
        Set<String> unused = documentation.unused();
        unused.forEach(name -> System.out.println("No page uses " + name + '.'));
        documentation.notMeasured().forEach((name, files) -> System.out.println("Not measured yet: " + name + " needs " + files));
        if (!check) {
            Documentation.write(changes);
        }
        return check && !changes.isEmpty() || !unused.isEmpty() ? 1 : 0;
    }

    /** Describes the first line in which a file differs from what it should contain. */
    static String firstDifference(Path file, String expected) throws IOException {
        if (!Files.exists(file)) {
            return "the file is missing";
        }
        List<String> actualLines = Files.readString(file).lines().toList();
        List<String> expectedLines = expected.lines().toList();
        int line = 0;
        while (line < actualLines.size() && line < expectedLines.size() && actualLines.get(line).equals(expectedLines.get(line))) {
            line++;
        }
        String actual = line < actualLines.size() ? actualLines.get(line) : "(end of file)";
        String wanted = line < expectedLines.size() ? expectedLines.get(line) : "(end of file)";
        return "line " + (line + 1) + " is\n  " + actual + "\nbut the result files give\n  " + wanted;
    }
}

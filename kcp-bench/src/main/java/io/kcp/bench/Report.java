package io.kcp.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.MissingNode;

/**
 * Creates an HTML page from the results of {@link SideBySide} and {@link LossyLink}. The script {@code kcp-bench/report.sh} runs all
 * three commands.
 *
 * <pre>
 * java -cp kcp-bench/target/benchmarks.jar io.kcp.bench.Report results.json --lossy lossy.json --out index.html
 * </pre>
 */
@Command(name = "report", description = "Creates an HTML page from results.", mixinStandardHelpOptions = true)
final class Report implements Callable<Integer> {

    @Parameters(arity = "1..*", paramLabel = "FILE",
        description = "results files of SideBySide; if several contain the same scenario, the last one counts")
    List<Path> files = List.of();

    @Option(names = "--lossy", description = "results file of LossyLink; ignored if it does not exist")
    @Nullable Path lossy;

    @Option(names = "--out", required = true, description = "HTML file to write")
    @SuppressWarnings("NullAway.Init")
    Path out;

    public static void main(String[] arguments) {
        System.exit(new CommandLine(new Report()).execute(arguments));
    }

    @Override
    public Integer call() throws IOException {
        List<ResultsFile> results = new ArrayList<>();
        for (Path file : files) {
            results.add(ResultsFile.read(file));
        }
        JsonNode lossyRows =
            lossy != null && Files.exists(lossy) ? Json.MAPPER.readTree(Files.readString(lossy)) : MissingNode.getInstance();
        Files.createDirectories(out.toAbsolutePath().resolveSibling("."));
        Files.writeString(out, new ReportPage(results, lossyRows.valueStream().toList()).html());
        System.out.println(out.toAbsolutePath());
        return 0;
    }
}

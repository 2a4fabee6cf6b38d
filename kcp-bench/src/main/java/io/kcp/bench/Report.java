package io.kcp.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * Makes a page of what {@link SideBySide} and {@link LossyLink} wrote.
 *
 * <pre>
 * java -cp kcp-bench/target/benchmarks.jar io.kcp.bench.Report results.json --lossy lossy.json --out index.html
 * </pre>
 *
 * <p>{@code kcp-bench/report.sh} does all of it.
 */
@Command(name = "report", description = "Makes a page of results.", mixinStandardHelpOptions = true)
public final class Report implements Callable<Integer> {

    @Parameters(arity = "1..*", paramLabel = "FILE", description = "results; a scenario that several files have is that of the last")
    List<Path> files = List.of();

    @Option(names = "--lossy", description = "rows of the lossy link; left out if the file is not there")
    @Nullable Path lossy;

    @Option(names = "--out", required = true, description = "the page")
    @SuppressWarnings("NullAway.Init")
    Path out;

    /** Creates the command. */
    public Report() {
    }

    /**
     * Runs the command.
     *
     * @param arguments see {@code --help}
     */
    public static void main(String[] arguments) {
        System.exit(new CommandLine(new Report()).execute(arguments));
    }

    @Override
    public Integer call() throws IOException {
        LossyRows rows = lossy != null && Files.exists(lossy) ? LossyRows.read(lossy) : null;
        Path directory = out.toAbsolutePath().getParent();
        if (directory != null) {
            Files.createDirectories(directory);
        }
        Files.writeString(out, ReportPage.draw(Results.read(files), rows));
        System.out.println(out.toAbsolutePath());
        return 0;
    }
}

package io.kcp.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Simulates many transfers over links with different loss rates, with and without FEC, and creates an HTML page with charts. The
 * simulation has a virtual clock, so the results depend only on the seeds.
 *
 * <pre>
 * java -cp kcp-bench/target/benchmarks.jar io.kcp.bench.MonteCarlo --out kcp-bench/target/report/monte-carlo.html
 * </pre>
 */
@Command(name = "monte-carlo", description = "Simulates transfers over lossy links and creates an HTML page.",
    mixinStandardHelpOptions = true)
final class MonteCarlo implements Callable<Integer> {

    private static final int PROGRESS_STEPS = 20;

    @Option(names = "--seeds", defaultValue = "1000", description = "number of seeds, each with a different loss rate (${DEFAULT-VALUE})")
    int seeds;

    @Option(names = "--max-loss", defaultValue = "30", description = "highest loss rate in percent (${DEFAULT-VALUE})")
    double maxLossPercent;

    @Option(names = "--threads", description = "number of threads; the default is the number of processors")
    int threads = Runtime.getRuntime().availableProcessors();

    @Option(names = "--out", required = true, description = "HTML file to write")
    @SuppressWarnings("NullAway.Init")
    Path out;

    @Option(names = "--picture", description = "SVG file with the chart of the delivery times")
    @Nullable Path picture;

    public static void main(String[] arguments) {
        System.exit(new CommandLine(new MonteCarlo()).execute(arguments));
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        List<MonteCarloResult> results = new ArrayList<>();
        List<String> failures = new ArrayList<>();
        run(results, failures);
        MonteCarloPage page = new MonteCarloPage(results, failures, seeds, maxLossPercent);
        write(out, page.html());
        if (picture != null) {
            write(picture, page.picture());
        }
        failures.forEach(System.out::println);
        return failures.isEmpty() ? 0 : 1;
    }

    private void run(List<MonteCarloResult> results, List<String> failures) throws InterruptedException {
        long startNanos = System.nanoTime();
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        try {
            List<Future<List<MonteCarloResult>>> runs = new ArrayList<>();
            for (int i = 0; i < seeds; i++) {
                long seed = i + 1L;
                double loss = maxLossPercent / 100 * (i + 0.5) / seeds;
                runs.add(executor.submit(() -> List.of(MonteCarloResult.simulate(seed, loss, false),
                    MonteCarloResult.simulate(seed, loss, true))));
            }
            for (int i = 0; i < seeds; i++) {
                try {
                    results.addAll(runs.get(i).get());
                } catch (ExecutionException e) {
                    failures.add("Seed " + (i + 1) + " failed: " + e.getCause());
                }
                if ((i + 1) * PROGRESS_STEPS / seeds > i * PROGRESS_STEPS / seeds) {
                    System.out.printf("%d of %d seeds after %d s%n", i + 1, seeds, (System.nanoTime() - startNanos) / 1_000_000_000);
                }
            }
        } finally {
            executor.shutdownNow();
        }
    }

    private static void write(Path file, String text) throws IOException {
        Files.createDirectories(file.toAbsolutePath().resolveSibling("."));
        Files.writeString(file, text);
        System.out.println(file.toAbsolutePath());
    }
}

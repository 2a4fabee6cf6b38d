package io.kcp.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Measures how a server recovers from overload. The program first measures how many messages per second the server can echo. It then offers
 * 60 % of that rate, without waiting for responses, and lets one event happen: either the rate is five times as high for three seconds, or
 * the server process is stopped for two seconds. The server runs on the first processor, and the clients, which use this library, run in
 * this process on the others.
 *
 * <pre>
 * src/interop/install.sh
 * java -cp kcp-bench/target/benchmarks.jar io.kcp.bench.Overload --out overload.json --pictures .
 * java -cp kcp-bench/target/benchmarks.jar io.kcp.bench.Overload --servers ours --events burst
 * </pre>
 *
 * <p>The command prints one line for each server and event, and the requirements that were not reached. With {@code --pictures}, it also
 * draws the median of the delay over time.
 */
@Command(name = "overload", description = "Measures how servers recover from overload.", mixinStandardHelpOptions = true)
final class Overload implements Callable<Integer> {

    private static final List<String> SERVERS = List.of(Scenarios.OURS, Scenarios.KCP_GO);

    @Option(names = "--servers", split = ",", defaultValue = "ours,kcp-go", description = "servers to measure (${DEFAULT-VALUE})")
    List<String> servers = new ArrayList<>();

    @Option(names = "--events", split = ",", defaultValue = "burst,stop", description = "events (${DEFAULT-VALUE})")
    List<OverloadEvent> events = new ArrayList<>();

    @Option(names = "--rounds", defaultValue = "1", description = "number of runs of each server and event (${DEFAULT-VALUE})")
    int rounds;

    @Option(names = "--pictures", description = "directory for one SVG file per event with the medians of the delay over time")
    @Nullable Path pictures;

    @Mixin
    PinningOption pinning = new PinningOption();

    @Mixin
    OverloadOptions options = new OverloadOptions();

    @Mixin
    ComparisonOptions comparison = new ComparisonOptions();

    @CommandLine.Spec
    @SuppressWarnings("NullAway.Init")
    CommandLine.Model.CommandSpec spec;

    private final List<OverloadResult> results = new ArrayList<>();

    public static void main(String[] arguments) {
        System.exit(newCommandLine(new Overload()).execute(arguments));
    }

    static CommandLine newCommandLine(Overload overload) {
        return new CommandLine(overload).setCaseInsensitiveEnumValuesAllowed(true);
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (comparison.list) {
            for (OverloadEvent event : OverloadEvent.values()) {
                System.out.printf("%-6s %s%n", event, event.title());
            }
            return 0;
        }
        ComparisonOptions.requireKnown("--servers", servers, SERVERS, spec.commandLine());
        Pinning processors = pinning.pinThisProcess();
        Collection<Peer> peers = comparison.peers(List.of(), servers::contains).values();
        RowsFile file = new RowsFile(comparison.out, spec.commandLine(), "results", rounds, options.recoverySeconds);
        for (int round = 0; round < rounds; round++) {
            for (OverloadEvent event : events) {
                for (Peer peer : peers) {
                    OverloadResult result = new OverloadRun(peer, processors, event, options).run();
                    results.add(result);
                    System.out.print(OverloadResult.head() + result.row());
                    file.write(results);
                    draw();
                }
            }
        }
        EventResult.print(OverloadResult.head(), results);
        return results.stream().anyMatch(result -> result.failure() != null) ? CommandLine.ExitCode.SOFTWARE : 0;
    }

    List<OverloadResult> results() {
        return results;
    }

    private void draw() throws IOException {
        Path directory = pictures;
        if (directory != null) {
            Files.createDirectories(directory);
            for (OverloadEvent event : events) {
                Files.writeString(directory.resolve("overload-" + event + ".svg"), picture(event));
            }
        }
    }

    /** Returns a chart of the median over time, with a line for each run of the event. Steps without most of their messages are omitted. */
    private String picture(OverloadEvent event) {
        SvgChart chart = new SvgChart("Median of the delay before, during and after " + event.title(),
            String.format(Locale.ROOT, "seconds; the event begins after %.0f s", options.quietSeconds), "ms, logarithmic", true);
        for (OverloadResult result : results) {
            if (result.event() == event) {
                List<OverloadResult.Point> points = result.p50().stream().filter(point -> Double.isFinite(point.p50Ms())).toList();
                chart.add(new SvgChart.Series(result.server(), result.server().equals(Scenarios.OURS) ? "#1f77b4" : "#d62728", "",
                    points.stream().map(point -> Math.max(0, point.seconds() + options.quietSeconds)).toList(),
                    points.stream().map(OverloadResult.Point::p50Ms).toList()));
            }
        }
        return chart.svg();
    }
}

package io.kcp.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import tools.jackson.databind.node.ObjectNode;

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

    @Option(names = "--servers", split = ",", defaultValue = "ours,kcp-go", description = "servers to measure (${DEFAULT-VALUE})")
    List<String> servers = new ArrayList<>();

    @Option(names = "--events", split = ",", defaultValue = "burst,stop", description = "events (${DEFAULT-VALUE})")
    List<OverloadEvent> events = new ArrayList<>();

    @Option(names = "--rounds", defaultValue = "1", description = "number of runs of each server and event (${DEFAULT-VALUE})")
    int rounds;

    @Option(names = "--pictures", description = "directory for one SVG file per event with the medians of the delay over time")
    @Nullable Path pictures;

    @Option(names = "--no-pin", description = "do not pin the server to one processor and this process to the others")
    boolean noPin;

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
        Pinning pinning = noPin ? Pinning.unavailable("--no-pin") : Pinning.find();
        if (pinning.problem() == null) {
            pinning.moveThisProcess();
        } else {
            System.err.println("not pinned, so the clients take processor time from the server: " + pinning.problem());
        }
        List<Peer> peers = new ArrayList<>(comparison.installedPeers(
            peer -> peer.name().equals(Scenarios.KCP_GO) && servers.contains(peer.name())));
        if (servers.contains(Scenarios.OURS)) {
            peers.add(0, Peer.ours(List.of()));
        }
        for (int round = 0; round < rounds; round++) {
            for (OverloadEvent event : events) {
                for (Peer peer : peers) {
                    OverloadResult result = new OverloadRun(peer, comparison.jvmOptions, pinning, event, options).run();
                    results.add(result);
                    System.out.print(OverloadResult.head() + result.row());
                    write();
                }
            }
        }
        System.out.print("\n" + OverloadResult.head() + results.stream().map(OverloadResult::row).collect(Collectors.joining()));
        results.forEach(result -> result.missed().forEach(missed ->
            System.out.println("NOT REACHED: " + result.server() + ", " + result.event() + ": " + missed.text())));
        return results.stream().anyMatch(result -> result.failure() != null) ? CommandLine.ExitCode.SOFTWARE : 0;
    }

    List<OverloadResult> results() {
        return results;
    }

    private void write() throws IOException {
        Path out = comparison.out;
        if (out != null) {
            ObjectNode file = Json.MAPPER.valueToTree(ResultsFile.describe(spec.commandLine().getParseResult().originalArgs(), rounds,
                options.recoverySeconds, false));
            file.remove(List.of("quick", "scenarios"));
            file.put("command", "Overload " + String.join(" ", spec.commandLine().getParseResult().originalArgs()));
            file.set("results", Json.MAPPER.valueToTree(results));
            Files.createDirectories(out.toAbsolutePath().resolveSibling("."));
            Files.writeString(out, Json.MAPPER.writerWithDefaultPrettyPrinter().writeValueAsString(file) + '\n');
        }
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

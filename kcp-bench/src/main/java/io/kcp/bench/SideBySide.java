package io.kcp.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Compares the performance of this library with that of other implementations and protocols. Client and server are separate processes
 * connected over 127.0.0.1. Unless a scenario specifies other options, all programs use nodelay 1,10,2,1, windows of 1,024 segments, an
 * MTU of 1,400 bytes, no cipher and no FEC. Only the ratios of values from the same run are meaningful, because the speed of a machine
 * changes over time.
 *
 * <pre>
 * src/interop/install.sh --bench
 * java -cp kcp-bench/target/benchmarks.jar io.kcp.bench.SideBySide --out kcp-bench/target/report/results.json
 * java -cp kcp-bench/target/benchmarks.jar io.kcp.bench.SideBySide --scenarios one-way,echo --peers kcp-go --rounds 3
 * java -cp kcp-bench/target/benchmarks.jar io.kcp.bench.SideBySide --scenarios pinned
 * java -cp kcp-bench/target/benchmarks.jar io.kcp.bench.SideBySide --list
 * </pre>
 *
 * <p>In a pinned scenario, the server runs on the first processor and the client on the others, so that the server's CPU time per message
 * does not depend on the client. A pinned scenario is skipped if {@code taskset} or a second processor is missing. The name {@code pinned}
 * selects all of these scenarios.
 *
 * <p>The contenders run alternately, so that each round runs every contender once. The command prints one line for each run, and at the
 * end the medians and targets of each scenario. The command skips peers whose program is missing, and prints the output of peers that fail.
 * {@link Report} converts the results file to a page.
 */
@Command(name = "side-by-side", description = "Compares this library with other implementations and protocols.",
    mixinStandardHelpOptions = true)
final class SideBySide implements Callable<Integer> {

    private static final String NONE = "none";

    @Option(names = "--scenarios", split = ",", description = "names of the scenarios to run (all)")
    @Nullable List<String> scenarioNames;

    @Option(names = "--peers", split = ",",
        description = "names of the other peers to compare with (all), or none to measure only this library")
    @Nullable List<String> peerNames;

    @Option(names = "--rounds", defaultValue = "5",
        description = "number of runs per contender, of which the median is reported (${DEFAULT-VALUE})")
    int rounds;

    @Option(names = "--quick", description = "one round of short runs with fewer idle sessions; the results are not meaningful")
    boolean quick;

    @Mixin
    RunDurations durations = new RunDurations();

    @Mixin
    ComparisonOptions comparison = new ComparisonOptions();

    @CommandLine.Spec
    @SuppressWarnings("NullAway.Init")
    CommandLine.Model.CommandSpec spec;

    private final Pinning pinning = Pinning.find();

    public static void main(String[] arguments) {
        System.exit(new CommandLine(new SideBySide()).execute(arguments));
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        List<Scenario> scenarios = scenarioNames == null ? Scenarios.all() : Scenarios.named(scenarioNames, spec.commandLine());
        if (comparison.list) {
            scenarios.forEach(scenario -> System.out.printf("%-16s %s%n", scenario.name(), scenario.title()));
            return 0;
        }
        if (quick) {
            rounds = 1;
            durations.quicken();
        }
        boolean many = peerNames != null && peerNames.size() > 1;
        List<String> known = many ? Peer.names() : Stream.concat(Peer.names().stream(), Stream.of(NONE)).toList();
        ComparisonOptions.requireKnown("--peers", peerNames, known, spec.commandLine());
        Map<String, Peer> peers =
            comparison.peers(List.of(), name -> name.equals(Scenarios.OURS) || peerNames == null || peerNames.contains(name));
        ResultsFile file = ResultsFile.describe(spec.commandLine(), rounds, durations.seconds, quick);
        List<ScenarioResult> results = new ArrayList<>();
        for (Scenario scenario : scenarios) {
            if (scenario.pinned() && pinning.problem() != null) {
                System.err.println("skipping " + scenario.name() + ": " + pinning.problem());
                continue;
            }
            results.add(run(scenario, peers));
            Path out = comparison.out;
            if (out != null) {
                file.with(results.stream().map(ScenarioResult::toFile).toList()).write(out);
            }
        }
        results.forEach(result -> System.out.print(ResultText.of(result)));
        return results.stream().allMatch(result -> result.failures().isEmpty()) ? 0 : CommandLine.ExitCode.SOFTWARE;
    }

    private ScenarioResult run(Scenario scenario, Map<String, Peer> peers) throws InterruptedException {
        ScenarioResult result = new ScenarioResult(scenario);
        for (int round = 1; round <= rounds; round++) {
            for (Contender contender : scenario.contenders()) {
                Peer peer = peers.get(contender.peer());
                if (peer != null && peer.supports(scenario) && !result.hasOnlyFailed(contender.name())) {
                    run(result, contender, peer, round);
                }
            }
        }
        return result;
    }

    private void run(ScenarioResult result, Contender contender, Peer peer, int round) throws InterruptedException {
        Scenario scenario = result.scenario();
        String head = String.format(Locale.ROOT, "%-16s %d/%d %-15s ", scenario.name(), round, rounds, contender.name());
        try {
            Map<Metric, Double> metrics = new ScenarioRun(scenario, contender, peer, durations, pinning).run();
            result.add(contender.name(), round, metrics);
            System.out.println(head + ResultText.line(scenario.metrics(), metrics));
        } catch (IllegalStateException failure) {
            String message = String.valueOf(failure.getMessage());
            result.addFailure(contender.name(), message);
            System.out.println(head + "FAILED: " + message);
        }
    }
}

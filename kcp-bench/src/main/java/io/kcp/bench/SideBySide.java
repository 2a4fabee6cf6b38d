package io.kcp.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Ours and others by turns, client and server in processes of their own over 127.0.0.1: nodelay 1,10,2,1, windows of 1,024,
 * an MTU of 1,400, no cipher and no FEC where the scenario does not say otherwise. Only the ratios of one run mean
 * something: figures of different runs are of different machines, even on the same one.
 *
 * <pre>
 * src/interop/install.sh --bench
 * java -cp kcp-bench/target/benchmarks.jar io.kcp.bench.SideBySide --out kcp-bench/target/report/results.json
 * java -cp kcp-bench/target/benchmarks.jar io.kcp.bench.SideBySide --scenarios one-way,echo --peers kcp-go --rounds 3
 * java -cp kcp-bench/target/benchmarks.jar io.kcp.bench.SideBySide --list
 * </pre>
 *
 * <p>Within a round each contender has its turn. Prints a line for each run as it ends, then for each scenario the medians
 * and what came of the targets. A peer whose program is missing is left out, one that fails shows why. {@link Report} makes
 * a page of the file.
 */
@Command(name = "side-by-side", description = "Ours and others by turns.", mixinStandardHelpOptions = true)
public final class SideBySide implements Callable<Integer> {

    @Option(names = "--scenarios", split = ",", description = "by their names (all)")
    @Nullable List<String> scenarioNames;

    @Option(names = "--peers", split = ",", description = "others, by their names (all); none: ours alone")
    @Nullable List<String> peerNames;

    @Option(names = "--rounds", defaultValue = "5", description = "runs of each contender, of which the median counts (${DEFAULT-VALUE})")
    int rounds;

    @Option(names = "--quick", description = "one round of short runs with fewer idle sessions: whether it works, not how fast")
    boolean quick;

    @Mixin
    RunTimes times = new RunTimes();

    @Option(names = "--out", description = "where to write the results as JSON; written anew after each scenario")
    @Nullable Path out;

    @Option(names = "--list", description = "tell what there is and end")
    boolean list;

    @Option(names = "--interop", description = "where the others are (${DEFAULT-VALUE})")
    Path interop = Path.of("src", "interop", "build");

    @Option(names = "--jvm-option", description = "of our processes; may be repeated")
    List<String> jvmOptions = new ArrayList<>();

    @CommandLine.Spec
    @SuppressWarnings("NullAway.Init")
    CommandLine.Model.CommandSpec spec;

    private final Map<String, Peer> peers = new LinkedHashMap<>();
    private final List<ScenarioResult> results = new ArrayList<>();

    /** Creates the command. */
    public SideBySide() {
    }

    /**
     * Runs the command.
     *
     * @param arguments see {@code --help}
     */
    public static void main(String[] arguments) {
        System.exit(new CommandLine(new SideBySide()).execute(arguments));
    }

    @Override
    public Integer call() throws IOException {
        List<Scenario> scenarios = chosenScenarios();
        if (list) {
            scenarios.forEach(scenario -> System.out.printf("%-16s %s%n", scenario.name(), scenario.title()));
            return 0;
        }
        if (quick) {
            rounds = 1;
            times.quicken();
        }
        findPeers();
        Map<String, @Nullable Object> machine =
            Machine.describe(spec.commandLine() == null ? List.of() : spec.commandLine().getParseResult().originalArgs());
        for (Scenario scenario : scenarios) {
            ScenarioResult result = run(scenario);
            results.add(result);
            write(machine);
        }
        results.forEach(result -> System.out.print(ResultText.of(result)));
        return results.stream().allMatch(result -> result.failures().isEmpty()) ? 0 : CommandLine.ExitCode.SOFTWARE;
    }

    private List<Scenario> chosenScenarios() {
        return scenarioNames == null ? Scenarios.all() : Scenarios.named(scenarioNames, spec.commandLine());
    }

    private void findPeers() {
        List<Peer> others = List.of(ProgramPeer.kcpGo(interop),
            ProgramPeer.jar(Scenarios.KCP_NETTY, interop, "kcp-netty-peer.jar"),
            ProgramPeer.jar(Scenarios.JAVA_KCP, interop, "java-kcp-peer.jar"),
            ProgramPeer.jar(Scenarios.TCP, interop, "plain-peer.jar", "--protocol", "tcp"),
            ProgramPeer.jar(Scenarios.QUIC, interop, "plain-peer.jar", "--protocol", "quic"),
            ProgramPeer.jar(Scenarios.UDP, interop, "plain-peer.jar", "--protocol", "udp"));
        Peer ours = new OurPeer(jvmOptions);
        peers.put(ours.name(), ours);
        for (Peer peer : others) {
            if (peerNames == null || peerNames.contains(peer.name())) {
                String missing = peer.missing();
                if (missing == null) {
                    peers.put(peer.name(), peer);
                } else {
                    System.err.println("left out: " + peer.name() + ": " + missing);
                }
            }
        }
    }

    private ScenarioResult run(Scenario scenario) {
        ScenarioResult result = new ScenarioResult(scenario);
        for (int round = 1; round <= rounds; round++) {
            for (Contender contender : scenario.contenders()) {
                Peer peer = peers.get(contender.peer());
                if (peer != null && peer.unable(scenario) == null && !result.isHopeless(contender.name())) {
                    run(result, contender, peer, round);
                }
            }
        }
        return result;
    }

    private void run(ScenarioResult result, Contender contender, Peer peer, int round) {
        Scenario scenario = result.scenario();
        String head = String.format(Locale.ROOT, "%-16s %d/%d %-15s ", scenario.name(), round, rounds, contender.name());
        try {
            Map<Metric, Double> figures = new ScenarioRun(scenario, contender, peer, times).run();
            result.add(contender.name(), figures);
            System.out.println(head + ResultText.figures(scenario.metrics(), figures));
        } catch (IllegalStateException failure) {
            String message = String.valueOf(failure.getMessage());
            result.addFailure(contender.name(), message);
            System.out.println(head + "FAILED: " + message);
        }
    }

    private void write(Map<String, @Nullable Object> machine) throws IOException {
        if (out == null) {
            return;
        }
        Map<String, @Nullable Object> file = new LinkedHashMap<>(machine);
        file.put("rounds", rounds);
        file.put("seconds", times.seconds);
        file.put("quick", quick);
        file.put("scenarios", results.stream().map(ScenarioResult::toJson).toList());
        Path directory = out.toAbsolutePath().getParent();
        if (directory != null) {
            Files.createDirectories(directory);
        }
        Files.writeString(out, Json.write(file));
    }
}

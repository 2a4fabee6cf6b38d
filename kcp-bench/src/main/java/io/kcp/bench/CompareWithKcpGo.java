package io.kcp.bench;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Ours and kcp-go by turns, client and server in processes of their own over 127.0.0.1: nodelay 1,10,2,1, windows of 1,024,
 * an MTU of 1,400, no cipher and no FEC unless asked for. Only the ratios of one run mean something: figures of different
 * runs are of different machines, even on the same one.
 *
 * <pre>
 * src/interop/install.sh
 * java -cp kcp-bench/target/benchmarks.jar io.kcp.bench.CompareWithKcpGo
 * </pre>
 *
 * <p>Prints a line for each transfer as it ends, then medians and ratios as a table and as JSON. A ratio above 1 is in our
 * favour. CPU time is that of both ends together.
 */
@Command(name = "compare-with-kcp-go", description = "Ours and kcp-go by turns.", mixinStandardHelpOptions = true)
public final class CompareWithKcpGo implements Callable<Integer> {

    @Option(names = "--rounds", defaultValue = "5", description = "transfers of each kind and peer (${DEFAULT-VALUE})")
    int rounds;

    @Option(names = "--seconds", defaultValue = "5", description = "of each transfer (${DEFAULT-VALUE})")
    int seconds;

    @Option(names = "--warmup", defaultValue = "3", description = "seconds before them (${DEFAULT-VALUE})")
    int warmupSeconds;

    @Option(names = "--round-trips", defaultValue = "50000", description = "of each ping-pong, and before it (${DEFAULT-VALUE})")
    int roundTrips;

    @Option(names = "--kinds", split = ",", description = "of ONE_WAY, ECHO and PING_PONG (all)")
    TransferKind[] kinds = TransferKind.values();

    @Option(names = "--kcppeer", description = "kcp-go (${DEFAULT-VALUE})")
    Path kcpPeer = Path.of("src", "interop", "build", "kcppeer-5.6.72");

    @Mixin
    WireLayers layers = new WireLayers();

    @Option(names = "--jvm-option", description = "of our processes; may be repeated")
    List<String> jvmOptions = new ArrayList<>();

    /** Creates the command. */
    public CompareWithKcpGo() {
    }

    /**
     * Runs the command.
     *
     * @param arguments see {@code --help}
     */
    public static void main(String[] arguments) {
        System.exit(new CommandLine(new CompareWithKcpGo()).execute(arguments));
    }

    @Override
    public Integer call() {
        if (!Files.isExecutable(kcpPeer)) {
            System.err.println(kcpPeer + " is missing; src/interop/install.sh builds it");
            return CommandLine.ExitCode.USAGE;
        }
        TransferRunner ours = new KcpLoadRunner(jvmOptions, layers, seconds, warmupSeconds, roundTrips);
        TransferRunner kcpGo = new KcpGoRunner(kcpPeer, layers, seconds, warmupSeconds, roundTrips);
        Map<TransferKind, List<TransferResult>> oursByKind = new EnumMap<>(TransferKind.class);
        Map<TransferKind, List<TransferResult>> kcpGoByKind = new EnumMap<>(TransferKind.class);
        for (TransferKind kind : kinds) {
            for (int round = 1; round <= rounds; round++) {
                run("ours", ours, kind, round, oursByKind);
                run("kcp-go", kcpGo, kind, round, kcpGoByKind);
            }
        }
        System.out.println("\n" + layers);
        System.out.printf("%-11s %14s %14s %7s %16s %16s %7s%n", "median of " + rounds, "ours", "kcp-go", "ratio",
            "CPU ms, ours", "CPU ms, kcp-go", "ratio");
        for (TransferKind kind : kinds) {
            summarize(kind, oursByKind.getOrDefault(kind, List.of()), kcpGoByKind.getOrDefault(kind, List.of()));
        }
        return 0;
    }

    private void run(String peer, TransferRunner runner, TransferKind kind, int round,
        Map<TransferKind, List<TransferResult>> results) {
        TransferResult result = runner.run(kind);
        results.computeIfAbsent(kind, any -> new ArrayList<>()).add(result);
        result.addTo(JsonLine.event("transfer").put("peer", peer).put("round", round)).print();
    }

    private void summarize(TransferKind kind, List<TransferResult> ours, List<TransferResult> kcpGo) {
        TransferResult a = TransferResult.median(ours);
        TransferResult b = TransferResult.median(kcpGo);
        double ratio = kind.ratio(a.value(), b.value());
        double cpuRatio = b.cpuMsPerUnit() / a.cpuMsPerUnit();
        System.out.println(String.format(Locale.ROOT, "%-11s %9.1f %-4s %9.1f %-4s %7.2f %9.2f/%-6s %9.2f/%-6s %7.2f",
            kind.label(), a.value(), kind.unit(), b.value(), kind.unit(), ratio, a.cpuMsPerUnit(), kind.cpuUnit(),
            b.cpuMsPerUnit(), kind.cpuUnit(), cpuRatio));
        JsonLine line = JsonLine.event("ratio").put("kind", kind.label()).put("ratio", ratio).put("ours", a.value())
            .put("kcp_go", b.value()).put("cpu_ratio", cpuRatio).put("ours_cpu_ms", a.cpuMsPerUnit())
            .put("kcp_go_cpu_ms", b.cpuMsPerUnit());
        if (kind == TransferKind.PING_PONG) {
            line.put("ours_p99_us", a.p99Us()).put("kcp_go_p99_us", b.p99Us());
        }
        line.print();
    }
}

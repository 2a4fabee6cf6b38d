package io.kcp.bench;

import java.io.IOException;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Compares the tunnel of {@code kcp-examples} with kcptun. Server and client of a tunnel are separate processes connected over 127.0.0.1.
 * A target writes random bytes to one connection through the tunnel as fast as possible. All tunnels use mode fast3 and windows of 1,024.
 *
 * <pre>
 * src/interop/install.sh
 * mvn -q -Pbench -Ptunnel -DskipTests -pl kcp-bench,kcp-examples -am package
 * java -cp kcp-bench/target/benchmarks.jar io.kcp.bench.TunnelComparison
 * java -cp kcp-bench/target/benchmarks.jar io.kcp.bench.TunnelComparison --idle 1000
 * </pre>
 *
 * <p>The tunnels run alternately, so that each round runs every tunnel once. Only the ratios of values from the same round are meaningful,
 * because the speed of a machine changes over time. The command prints one line for each run and a table at the end.
 */
@Command(name = "tunnel-comparison", mixinStandardHelpOptions = true, description = "Compares the tunnel of this library with kcptun.")
final class TunnelComparison implements Callable<Integer> {

    private static final double KIB = 1024;
    private static final double MIB = KIB * KIB;

    @Option(names = "--settings", split = ",", converter = TunnelSettings.Converter.class,
        defaultValue = "none,aes-128-gcm,aes,salsa20,none+smux1,none+comp,none+fec,aes+fec+comp",
        description = "combinations CIPHER[+fec][+comp][+smux1] (${DEFAULT-VALUE})")
    List<TunnelSettings> settings = List.of();

    @Option(names = "--rounds", defaultValue = "5", description = "number of runs of each tunnel per combination (${DEFAULT-VALUE})")
    int rounds;

    @Option(names = "--seconds", defaultValue = "3", description = "measured time of a run (${DEFAULT-VALUE})")
    double seconds;

    @Option(names = "--warmup", defaultValue = "10", description = "warm-up in seconds (${DEFAULT-VALUE})")
    double warmupSeconds;

    @Option(names = "--idle", defaultValue = "0",
        description = "measure the memory of this number of idle streams instead of throughput (${DEFAULT-VALUE})")
    int idleStreams;

    @Option(names = "--settle", defaultValue = "5", description = "seconds to wait before memory is measured (${DEFAULT-VALUE})")
    double settleSeconds;

    @Option(names = "--tunnel", defaultValue = "kcp-examples/target/kcp-tunnel.jar", description = "our tunnel (${DEFAULT-VALUE})")
    Path tunnelJar = Path.of("");

    @Option(names = "--interop", defaultValue = "src/interop/build", description = "directory of kcptunpeer (${DEFAULT-VALUE})")
    Path interop = Path.of("");

    @Option(names = "--jvm-option", description = "JVM option of our tunnel; may be repeated")
    List<String> jvmOptions = new ArrayList<>();

    public static void main(String[] arguments) {
        System.exit(new CommandLine(new TunnelComparison()).execute(arguments));
    }

    @Override
    public Integer call() throws IOException {
        List<TunnelPeer> peers = TunnelPeer.installed(tunnelJar, interop, jvmOptions);
        System.out.println("tunnels: " + peers.stream().map(TunnelPeer::name).toList());
        if (idleStreams > 0) {
            for (TunnelPeer peer : peers) {
                measureMemory(peer);
            }
        } else {
            StringBuilder table = new StringBuilder();
            for (TunnelSettings combination : settings) {
                table.append(measure(combination, peers.stream().filter(peer -> peer.supports(combination)).toList()));
            }
            System.out.print(table);
        }
        return 0;
    }

    private String measure(TunnelSettings combination, List<TunnelPeer> peers) throws IOException {
        Map<String, List<TunnelRun.Throughput>> results = new LinkedHashMap<>();
        for (int round = 1; round <= rounds; round++) {
            for (TunnelPeer peer : peers) {
                try (TunnelRun run = new TunnelRun(peer, combination, true)) {
                    TunnelRun.Throughput throughput = run.measure(warmupSeconds, seconds);
                    results.computeIfAbsent(peer.name(), any -> new ArrayList<>()).add(throughput);
                    System.out.printf(Locale.ROOT, "%-18s %d/%d %-12s %7.1f MB/s %6.2f CPU ms/MB%n", combination, round, rounds,
                        peer.name(), throughput.megabytesPerSecond(), throughput.cpuMsPerMegabyte());
                }
            }
        }
        StringBuilder rows = new StringBuilder();
        results.forEach((name, runs) -> rows.append(String.format(Locale.ROOT, "%-18s %-12s %s MB/s, %.2f CPU ms/MB%s%n", combination, name,
            range(runs), Statistics.median(runs.stream().mapToDouble(TunnelRun.Throughput::cpuMsPerMegabyte).toArray()),
            ratio(results.getOrDefault(TunnelPeer.OURS, List.of()), runs))));
        return rows.toString();
    }

    private static String range(List<TunnelRun.Throughput> runs) {
        double[] values = runs.stream().mapToDouble(TunnelRun.Throughput::megabytesPerSecond).sorted().toArray();
        return String.format(Locale.ROOT, "%.0f (%.0f–%.0f)", Statistics.median(values), values[0], values[values.length - 1]);
    }

    /** Returns the ratio of our throughput to that of another tunnel, with the confidence interval. */
    private static String ratio(List<TunnelRun.Throughput> ours, List<TunnelRun.Throughput> theirs) {
        if (ours == theirs || ours.size() != theirs.size() || ours.size() < 2) {
            return "";
        }
        List<Double> ratios = new ArrayList<>();
        for (int i = 0; i < ours.size(); i++) {
            ratios.add(ours.get(i).megabytesPerSecond() / theirs.get(i).megabytesPerSecond());
        }
        Statistics.RatioInterval interval = Statistics.RatioInterval.of(ratios);
        return String.format(Locale.ROOT, "; ours is %.2f (%.2f–%.2f) times as fast", interval.mean(), interval.lower(), interval.upper());
    }

    private void measureMemory(TunnelPeer peer) throws IOException {
        List<Socket> streams = new ArrayList<>();
        try (TunnelRun run = new TunnelRun(peer, new TunnelSettings("aes", true, true, 2), false)) {
            streams.add(run.connect());
            settle();
            long oneStream = run.residentBytes();
            while (streams.size() <= idleStreams) {
                streams.add(run.connect());
            }
            settle();
            long allStreams = run.residentBytes();
            System.out.printf(Locale.ROOT, "%-12s resident %6.1f MiB with one stream, %6.1f MiB with %d more: %.1f KiB per stream%n",
                peer.name(), oneStream / MIB, allStreams / MIB, idleStreams, (allStreams - oneStream) / KIB / idleStreams);
        } finally {
            for (Socket stream : streams) {
                stream.close();
            }
        }
    }

    private void settle() {
        LockSupport.parkNanos((long) (settleSeconds * TimeUnit.SECONDS.toNanos(1)));
    }
}

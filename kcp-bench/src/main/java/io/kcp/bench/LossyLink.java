package io.kcp.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import tools.jackson.databind.node.ObjectNode;

/**
 * Measures delivery delay and goodput of TCP, QUIC, kcp-go and this library over an emulated link with delay and loss. Requires Linux,
 * root and the programs that {@code src/interop/install.sh} builds. If this machine cannot emulate links, the command prints the reason
 * and exits with 77.
 *
 * <pre>
 * java -cp kcp-bench/target/benchmarks.jar io.kcp.bench.LossyLink --out lossy.json
 * java -cp kcp-bench/target/benchmarks.jar io.kcp.bench.LossyLink --peers kcp-go,ours --loss 5 --kinds delay-50 --repetitions 5
 * </pre>
 */
@Command(name = "lossy-link", mixinStandardHelpOptions = true,
    description = "Measures delivery delay and goodput over a link with delay and loss.")
final class LossyLink implements Callable<Integer> {

    @Option(names = "--peers", split = ",", description = "peers to measure, for example tcp,kcp-go+10:3,ours (all)")
    List<String> peerLabels = List.of();

    @Option(names = "--loss", split = ",", defaultValue = "0,1,5,10,20", description = "loss in percent, each way (${DEFAULT-VALUE})")
    List<Double> lossPercents = List.of();

    @Option(names = "--kinds", split = ",", defaultValue = "delay-50,delay-500,goodput",
        description = "what to measure: delay with a number of messages per second, or goodput (${DEFAULT-VALUE})")
    List<LossyKind> kinds = List.of();

    @Option(names = "--rtt-ms", defaultValue = "50", description = "round-trip time of the link with an empty queue (${DEFAULT-VALUE})")
    double rttMs;

    @Option(names = "--rate-mbit", defaultValue = "100", description = "rate of the link in Mbit/s (${DEFAULT-VALUE})")
    double rateMbit;

    @Option(names = "--queue-bdp", defaultValue = "2",
        description = "length of the queue as a multiple of the rate times the round-trip time (${DEFAULT-VALUE})")
    double queueBdp;

    @Option(names = "--warmup", defaultValue = "4", description = "warm-up in seconds (${DEFAULT-VALUE})")
    double warmupSeconds;

    @Option(names = "--seconds", defaultValue = "4", description = "measured time of a run in seconds (${DEFAULT-VALUE})")
    double seconds;

    @Option(names = "--repetitions", defaultValue = "1",
        description = "number of runs per combination, of which the median is reported (${DEFAULT-VALUE})")
    int repetitions;

    @Option(names = "--attempts", defaultValue = "3",
        description = "maximum attempts per run, of which the one with the shortest processor stalls counts (${DEFAULT-VALUE})")
    int attempts;

    @Option(names = "--quiet-ms", defaultValue = "4",
        description = "accept an attempt in which the processors stalled for at most this many milliseconds per second (${DEFAULT-VALUE})")
    double quietMsPerSecond;

    @Option(names = "--parallel", defaultValue = "1",
        description = "number of simultaneous links, each of which needs two cores; goodput uses one link less (${DEFAULT-VALUE})")
    int parallel;

    @Option(names = "--seed", defaultValue = "1", description = "seed of the random losses (${DEFAULT-VALUE})")
    long seed;

    @Option(names = "--interop", defaultValue = "src/interop/build", description = "directory of the peers' programs (${DEFAULT-VALUE})")
    Path programs = Path.of("");

    @Option(names = "--out", description = "file for the results, a JSON array")
    @Nullable Path out;

    public static void main(String[] arguments) {
        System.exit(new CommandLine(new LossyLink()).execute(arguments));
    }

    /** Combination of a peer, a loss rate and a kind of measurement. */
    private record Cell(LossyPeer peer, double lossPercent, LossyKind kind) {
    }

    @Override
    public Integer call() throws IOException, InterruptedException, ExecutionException {
        String obstacle = LinkEmulator.obstacle(linkemu());
        if (obstacle != null) {
            System.out.println(Json.event("skipped").put("reason", obstacle));
            return LinkEmulator.SKIPPED;
        }
        List<LossyPeer> peers = LossyPeer.all(programs).stream()
            .filter(peer -> peerLabels.isEmpty() || peerLabels.contains(peer.label())).toList();
        List<ObjectNode> rows = new ArrayList<>();
        for (LossyKind kind : kinds) {
            rows.addAll(measure(peers, kind));
        }
        if (out != null) {
            Files.writeString(out, Json.MAPPER.writerWithDefaultPrettyPrinter().writeValueAsString(rows) + '\n');
        }
        return 0;
    }

    /** Measures the peers alternately, so that each repetition measures every combination once. */
    private List<ObjectNode> measure(List<LossyPeer> peers, LossyKind kind) throws InterruptedException, ExecutionException {
        ExecutorService links = Executors.newFixedThreadPool(kind.isDelay() ? parallel : Math.max(1, parallel - 1));
        try {
            Map<Cell, List<Future<LossyResult>>> pending = new LinkedHashMap<>();
            for (int repetition = 0; repetition < repetitions; repetition++) {
                long linkSeed = seed + repetition;
                for (double lossPercent : lossPercents) {
                    for (LossyPeer peer : peers) {
                        Cell cell = new Cell(peer, lossPercent, kind);
                        pending.computeIfAbsent(cell, key -> new ArrayList<>()).add(links.submit(() -> measure(cell, linkSeed)));
                    }
                }
            }
            List<ObjectNode> rows = new ArrayList<>();
            for (Map.Entry<Cell, List<Future<LossyResult>>> entry : pending.entrySet()) {
                List<LossyResult> results = new ArrayList<>();
                for (Future<LossyResult> result : entry.getValue()) {
                    results.add(result.get());
                }
                rows.add(row("lossy", entry.getKey(), LossyResult.median(results)).put("repetitions", repetitions));
                System.out.println(rows.get(rows.size() - 1));
            }
            return rows;
        } finally {
            links.shutdownNow();
        }
    }

    private LossyResult measure(Cell cell, long linkSeed) throws InterruptedException {
        LossyResult best = LossyResult.FAILED;
        for (int attempt = 1; attempt <= attempts && best.stalledMsPerSecond() > quietMsPerSecond; attempt++) {
            LinkEmulator.Shape shape = new LinkEmulator.Shape(cell.lossPercent, rttMs, rateMbit, queueBdp);
            try (LinkEmulator link = new LinkEmulator(linkemu(), shape, linkSeed)) {
                LossyResult result = new LossyRun(cell.peer, cell.kind, link, warmupSeconds, seconds).measure();
                System.out.println(row("run", cell, result).put("seed", linkSeed).put("attempt", attempt));
                if (result.stalledMsPerSecond() < best.stalledMsPerSecond()) {
                    best = result;
                }
            } catch (IllegalStateException failure) {
                // Continues after a failure, such as a TCP connection that times out, so that the results of the other measurements are not
                // discarded.
                System.out.println(row("failed", cell, LossyResult.FAILED).put("message", failure.toString()));
            }
        }
        return best;
    }

    private ObjectNode row(String event, Cell cell, LossyResult result) {
        return result.addTo(Json.event(event).put("peer", cell.peer.name()).put("fec", cell.peer.fec())
            .put("loss_percent", cell.lossPercent).put("rtt_ms", rttMs).put("queue_bdp", queueBdp)
            .put("kind", cell.kind.toString()));
    }

    private Path linkemu() {
        return programs.resolve("linkemu");
    }
}

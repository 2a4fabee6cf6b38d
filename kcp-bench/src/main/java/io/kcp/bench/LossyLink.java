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

/**
 * Delivery delay and goodput of TCP, QUIC, kcp-go and this library over a long, lossy link. Linux and root;
 * {@code src/interop/install.sh} builds what it needs. Leaves with 77 and a line that says why where links cannot be made.
 *
 * <pre>
 * java -cp kcp-bench/target/benchmarks.jar io.kcp.bench.LossyLink --out lossy.json
 * java -cp kcp-bench/target/benchmarks.jar io.kcp.bench.LossyLink --peers kcp-go,ours --loss 5 --kinds delay-50 --repetitions 5
 * </pre>
 */
@Command(name = "lossy-link", mixinStandardHelpOptions = true,
    description = "Delivery delay and goodput over a long, lossy link.")
public final class LossyLink implements Callable<Integer> {

    @Option(names = "--peers", split = ",", description = "such as tcp,kcp-go+10:3,ours (all)")
    List<String> peerLabels = List.of();

    @Option(names = "--loss", split = ",", defaultValue = "0,1,5,10,20", description = "percent (${DEFAULT-VALUE})")
    List<Double> lossPercents = List.of();

    @Option(names = "--kinds", split = ",", defaultValue = "delay-50,delay-500,goodput", description = "(${DEFAULT-VALUE})")
    List<String> kinds = List.of();

    @Option(names = "--rtt-ms", defaultValue = "50", description = "of the link without its queue (${DEFAULT-VALUE})")
    double rttMs;

    @Option(names = "--rate-mbit", defaultValue = "100", description = "of the link (${DEFAULT-VALUE})")
    double rateMbit;

    @Option(names = "--warmup", defaultValue = "4", description = "seconds (${DEFAULT-VALUE})")
    double warmupSeconds;

    @Option(names = "--seconds", defaultValue = "4", description = "measured time of a run (${DEFAULT-VALUE})")
    double seconds;

    @Option(names = "--repetitions", defaultValue = "1", description = "of which the median is taken (${DEFAULT-VALUE})")
    int repetitions;

    @Option(names = "--attempts", defaultValue = "3",
        description = "at most, until the machine was quiet; the quietest counts (${DEFAULT-VALUE})")
    int attempts;

    @Option(names = "--quiet-ms", defaultValue = "4",
        description = "milliseconds a second that processors may stand still in a quiet run (${DEFAULT-VALUE})")
    double quietMsPerSecond;

    @Option(names = "--parallel", defaultValue = "1",
        description = "links at once, goodput has one less; each takes two cores (${DEFAULT-VALUE})")
    int parallel;

    @Option(names = "--seed", defaultValue = "1", description = "of the losses (${DEFAULT-VALUE})")
    long seed;

    @Option(names = "--interop", defaultValue = "src/interop/build", description = "where the programs are (${DEFAULT-VALUE})")
    Path programs = Path.of("");

    @Option(names = "--out", description = "file for the rows, a JSON array")
    @Nullable Path out;

    /** Creates the command. */
    public LossyLink() {
    }

    /**
     * Runs the command.
     *
     * @param arguments see {@code --help}
     */
    public static void main(String[] arguments) {
        System.exit(new CommandLine(new LossyLink()).execute(arguments));
    }

    private record Cell(LossyPeer peer, double lossPercent, LossyKind kind) {
    }

    @Override
    public Integer call() throws IOException, InterruptedException, ExecutionException {
        String obstacle = LinkEmulator.obstacle(linkemu());
        if (obstacle != null) {
            JsonLine.event("skipped").put("reason", obstacle).print();
            return LinkEmulator.SKIPPED;
        }
        List<LossyPeer> peers = LossyPeer.all(programs.resolve("kcppeer-5.6.72"), programs.resolve("plain-peer.jar"));
        List<String> rows = new ArrayList<>();
        for (String kind : kinds) {
            rows.addAll(measure(peers, LossyKind.parse(kind)));
        }
        if (out != null) {
            Files.writeString(out, "[\n" + String.join(",\n", rows) + "\n]\n");
        }
        return 0;
    }

    /** Peers alternate: every repetition goes through all of them. */
    private List<String> measure(List<LossyPeer> peers, LossyKind kind) throws InterruptedException, ExecutionException {
        ExecutorService links = Executors.newFixedThreadPool(kind.isDelay() ? parallel : Math.max(1, parallel - 1));
        try {
            Map<Cell, List<Future<LossyResult>>> pending = new LinkedHashMap<>();
            for (int repetition = 0; repetition < repetitions; repetition++) {
                long repetitionSeed = seed + repetition;
                for (double lossPercent : lossPercents) {
                    for (LossyPeer peer : peers) {
                        if (peerLabels.isEmpty() || peerLabels.contains(peer.label())) {
                            Cell cell = new Cell(peer, lossPercent, kind);
                            pending.computeIfAbsent(cell, key -> new ArrayList<>())
                                .add(links.submit(() -> measure(cell, repetitionSeed)));
                        }
                    }
                }
            }
            List<String> rows = new ArrayList<>();
            for (Map.Entry<Cell, List<Future<LossyResult>>> entry : pending.entrySet()) {
                List<LossyResult> results = new ArrayList<>();
                for (Future<LossyResult> result : entry.getValue()) {
                    results.add(result.get());
                }
                rows.add(row("lossy", entry.getKey(), LossyResult.median(results)).put("repetitions", repetitions).toString());
                System.out.println(rows.get(rows.size() - 1));
            }
            return rows;
        } finally {
            links.shutdownNow();
        }
    }

    private LossyResult measure(Cell cell, long linkSeed) throws InterruptedException {
        LossyResult quietest = LossyResult.NONE;
        for (int attempt = 0; attempt < attempts; attempt++) {
            try (LinkEmulator link = new LinkEmulator(linkemu(), cell.lossPercent, rttMs / 2, rateMbit, linkSeed)) {
                LossyResult result = new LossyRun(cell.peer, cell.kind, link, warmupSeconds, seconds).measure();
                row("run", cell, result).put("seed", linkSeed).put("attempt", attempt + 1).print();
                if (result.stalledMsPerSecond() < quietest.stalledMsPerSecond()) {
                    quietest = result;
                }
            } catch (IllegalStateException failure) {
                // such as a TCP connection that is not opened in time; one cell must not cost the page
                row("failed", cell, LossyResult.NONE).put("message", failure.toString()).print();
            }
            if (quietest.stalledMsPerSecond() <= quietMsPerSecond) {
                break;
            }
        }
        return quietest;
    }

    private JsonLine row(String event, Cell cell, LossyResult result) {
        return result.addTo(JsonLine.event(event).put("peer", cell.peer.name()).put("fec", cell.peer.fec())
            .put("loss_percent", cell.lossPercent).put("rtt_ms", rttMs).put("kind", cell.kind.toString()));
    }

    private Path linkemu() {
        return programs.resolve("linkemu");
    }
}

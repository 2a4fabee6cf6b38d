package io.kcp.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import tools.jackson.databind.node.ObjectNode;

/**
 * Compares the congestion control of this library with TCP, QUIC and kcp-go over an emulated link, and prints Markdown tables. The first
 * table contains goodput and queueing delay of single flows. The second table contains the share that this library gets beside another
 * flow. Requires Linux, root and the programs that {@code src/interop/install.sh --bench} builds. If this machine cannot emulate links, the
 * command prints the reason and exits with 77.
 *
 * <pre>
 * java -cp kcp-bench/target/benchmarks.jar io.kcp.bench.LinkComparison
 * java -cp kcp-bench/target/benchmarks.jar io.kcp.bench.LinkComparison --rate-mbit 50 --loss 1 --peers ours-bbr,tcp-bbr --beside none
 * </pre>
 */
@Command(name = "link-comparison", mixinStandardHelpOptions = true,
    description = "Compares goodput, queueing delay and sharing over an emulated link.")
final class LinkComparison implements Callable<Integer> {

    private static final String NONE = "none";

    @Option(names = "--peers", split = ",",
        description = "single flows: ours-bbr, ours-auto, tcp-cubic, tcp-bbr, quic, kcp-go-nc0, kcp-go-nc1 or none (all)")
    List<String> peerNames = List.of();

    @Option(names = "--loss", split = ",", defaultValue = "0,1,5", description = "loss in percent, each way (${DEFAULT-VALUE})")
    List<Double> lossPercents = List.of();

    @Option(names = "--queue-bdp", split = ",", defaultValue = "1",
        description = "single flows: length of the queue as a multiple of the rate times the round-trip time (${DEFAULT-VALUE})")
    List<Double> queuesBdp = List.of();

    @Option(names = "--beside", split = ",", defaultValue = "tcp-cubic,tcp-bbr",
        description = "second flows for the table on sharing, or none (${DEFAULT-VALUE})")
    List<String> rivalNames = List.of();

    @Option(names = "--sharing-peers", split = ",", defaultValue = "ours-bbr",
        description = "first flows for the table on sharing (${DEFAULT-VALUE})")
    List<String> sharingPeerNames = List.of();

    @Option(names = "--sharing-queue-bdp", split = ",", defaultValue = "1,2,4",
        description = "sharing: length of the queue (${DEFAULT-VALUE})")
    List<Double> sharingQueuesBdp = List.of();

    @Option(names = "--sharing-loss", split = ",", defaultValue = "0", description = "sharing: loss in percent (${DEFAULT-VALUE})")
    List<Double> sharingLossPercents = List.of();

    @Option(names = "--rtt-ms", defaultValue = "50", description = "round-trip time of the link with an empty queue (${DEFAULT-VALUE})")
    double rttMs;

    @Option(names = "--rate-mbit", defaultValue = "100", description = "rate of the link in Mbit/s (${DEFAULT-VALUE})")
    double rateMbit;

    @Option(names = "--warmup", defaultValue = "4", description = "warm-up of single flows in seconds (${DEFAULT-VALUE})")
    double warmupSeconds;

    @Option(names = "--seconds", defaultValue = "8", description = "measured time of single flows in seconds (${DEFAULT-VALUE})")
    double seconds;

    @Option(names = "--sharing-warmup", defaultValue = "10", description = "warm-up of two flows in seconds (${DEFAULT-VALUE})")
    double sharingWarmupSeconds;

    @Option(names = "--sharing-seconds", defaultValue = "30", description = "measured time of two flows in seconds (${DEFAULT-VALUE})")
    double sharingSeconds;

    @Option(names = "--repetitions", defaultValue = "1",
        description = "number of runs per combination, of which the median is reported (${DEFAULT-VALUE})")
    int repetitions;

    @Option(names = "--seed", defaultValue = "1", description = "seed of the random losses (${DEFAULT-VALUE})")
    long seed;

    @Option(names = "--interop", defaultValue = "src/interop/build", description = "directory of the peers' programs (${DEFAULT-VALUE})")
    Path programs = Path.of("");

    @Option(names = "--out", description = "file for the results of all runs, a JSON array")
    @Nullable Path out;

    private final List<ObjectNode> events = new ArrayList<>();

    public static void main(String[] arguments) {
        System.exit(new CommandLine(new LinkComparison()).execute(arguments));
    }

    /** Combination of a link and the peers that share it. */
    private record Cell(List<LossyPeer> peers, double lossPercent, double queueBdp) {

        String name(int flow) {
            return flow < peers.size() ? peers.get(flow).name() : "";
        }
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        Path linkemu = programs.resolve("linkemu");
        String obstacle = LinkEmulator.obstacle(linkemu);
        if (obstacle != null) {
            System.out.println(Json.event("skipped").put("reason", obstacle));
            return LinkEmulator.SKIPPED;
        }
        List<LossyPeer> all = LossyPeer.congestionControls(programs);
        List<LossyPeer> single = peerNames.isEmpty() ? all : select(all, peerNames);
        List<LossyPeer> first = select(all, sharingPeerNames);
        List<LossyPeer> second = select(all, rivalNames);
        List<Cell> singleCells = new ArrayList<>();
        lossPercents.forEach(loss -> queuesBdp.forEach(queue -> single.forEach(peer ->
            singleCells.add(new Cell(List.of(peer), loss, queue)))));
        List<Cell> sharingCells = new ArrayList<>();
        sharingLossPercents.forEach(loss -> sharingQueuesBdp.forEach(queue -> second.forEach(rival -> first.forEach(peer ->
            sharingCells.add(new Cell(List.of(peer, rival), loss, queue))))));
        List<LinkComparisonTable.Row> singleRows = measure(linkemu, singleCells, warmupSeconds, seconds);
        List<LinkComparisonTable.Row> sharingRows = measure(linkemu, sharingCells, sharingWarmupSeconds, sharingSeconds);
        System.out.println((singleRows.isEmpty() ? "" : '\n' + LinkComparisonTable.goodput(singleRows))
            + (sharingRows.isEmpty() ? "" : '\n' + LinkComparisonTable.sharing(sharingRows)));
        if (out != null) {
            Files.writeString(out, Json.MAPPER.writerWithDefaultPrettyPrinter().writeValueAsString(events) + '\n');
        }
        return 0;
    }

    private static List<LossyPeer> select(List<LossyPeer> all, List<String> names) {
        return names.stream().filter(name -> !name.equals(NONE))
            .map(name -> all.stream().filter(peer -> peer.name().equals(name)).findFirst().orElseThrow(() ->
                new IllegalArgumentException("unknown peer: " + name + " (expected one of "
                    + all.stream().map(LossyPeer::name).toList() + ')'))).toList();
    }

    /** Measures the combinations alternately, so that each repetition measures every combination once. */
    private List<LinkComparisonTable.Row> measure(Path linkemu, List<Cell> cells, double warmup, double measured)
        throws InterruptedException {
        Map<Cell, List<LinkComparisonResult>> results = new LinkedHashMap<>();
        for (int repetition = 0; repetition < repetitions; repetition++) {
            for (Cell cell : cells) {
                LinkEmulator.Shape shape = new LinkEmulator.Shape(cell.lossPercent, rttMs, rateMbit, cell.queueBdp);
                try (LinkEmulator link = new LinkEmulator(linkemu, shape, seed + repetition)) {
                    LinkComparisonResult result = new LinkComparisonRun(cell.peers, link, warmup, measured).measure();
                    record(cell, result);
                    results.computeIfAbsent(cell, any -> new ArrayList<>()).add(result);
                } catch (IllegalStateException failure) {
                    // Continues, so that the results of the other combinations are not discarded.
                    System.out.println(Json.event("failed").put("peer", cell.name(0)).put("beside", cell.name(1))
                        .put("message", failure.toString()));
                }
            }
        }
        return results.entrySet().stream().map(entry -> new LinkComparisonTable.Row(entry.getKey().name(0), entry.getKey().name(1),
            entry.getKey().lossPercent, entry.getKey().queueBdp, entry.getValue())).toList();
    }

    private void record(Cell cell, LinkComparisonResult result) {
        ObjectNode line = result.addTo(Json.event("run").put("peer", cell.name(0)).put("beside", cell.name(1))
            .put("loss_percent", cell.lossPercent).put("rtt_ms", rttMs).put("rate_mbit", rateMbit).put("queue_bdp", cell.queueBdp));
        events.add(line);
        System.out.println(line);
    }
}

package io.kcp.bench.experiment;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/**
 * Experiment over an emulated link. Requires Linux, root and the programs that {@code src/interop/install.sh --bench} builds. If this
 * machine cannot emulate links, the command prints the reason and exits with 77.
 */
abstract class LinkCommand extends ExperimentCommand {

    static final String CUBIC = "cubic";
    static final String BBR = "bbr";
    static final String FEC = "fec ";

    private static final Path CONGESTION_CONTROLS = Path.of("/proc/sys/net/ipv4/tcp_available_congestion_control");
    private static final List<String> JVM_OPTIONS = List.of("-Xmx512m", "-Dio.netty.machineId=02:00:00:00:00:00:00:01");

    @Option(names = "--rtt-ms", defaultValue = "50", description = "round-trip time of the link with an empty queue (${DEFAULT-VALUE})")
    double rttMs;

    @Option(names = "--rate-mbit", defaultValue = "100", description = "rate of the link in Mbit/s (${DEFAULT-VALUE})")
    double rateMbit;

    LinkCommand(RunOptions run) {
        super(run);
    }

    /** Returns TCP with each congestion control that experiments compare. */
    static Stream<Contender> tcp() {
        return Stream.of(CUBIC, BBR).map(control -> Contender.of(Peer.TCP, control, "--congestion", control));
    }

    /** Returns this library and kcp-go with a FEC shape. */
    static Stream<Contender> fec(String shape) {
        return Stream.of(Peer.OURS, Peer.KCP_GO).map(peer -> Contender.of(peer, FEC + shape));
    }

    @Override
    @Nullable String obstacle() throws IOException, InterruptedException {
        return LinkEmulator.obstacle(linkemu());
    }

    private Path linkemu() {
        return run.interop.resolve("linkemu");
    }

    /** Returns the contenders that this machine can run. Prints a line for each congestion control that the kernel lacks. */
    List<Contender> select(Peers peers, List<Contender> contenders) throws IOException, InterruptedException {
        List<String> available = Files.isReadable(CONGESTION_CONTROLS)
            ? List.of(Files.readString(CONGESTION_CONTROLS, StandardCharsets.US_ASCII).strip().split("\\s+")) : List.of();
        List<Contender> selected = new ArrayList<>();
        for (Contender contender : peers.select(contenders)) {
            if (contender.peer().equals(Peer.TCP) && !available.contains(contender.settings())) {
                System.err.println("skipping " + contender.name() + ": the kernel has only " + String.join(", ", available)
                    + "; 'modprobe tcp_" + contender.settings() + "' may add it");
            } else {
                selected.add(contender);
            }
        }
        return selected;
    }

    /** Creates the flow of a contender. The shape of its FEC is in its settings. */
    static LinkRun.Flow flow(Peers peers, Contender contender) {
        int fec = contender.settings().indexOf(FEC);
        String shape = fec < 0 ? null : contender.settings().substring(fec + FEC.length());
        return new LinkRun.Flow(contender, peers.program(contender).withJvm(JVM_OPTIONS), new Layers(null, shape));
    }

    /** Measures flows over a new link, whose random losses depend on the round. */
    Map<Metric, Double> measure(LinkKind kind, List<LinkRun.Flow> flows, double lossPercent, double queueBdp, double warmupSeconds,
        double seconds, int round) throws InterruptedException {
        LinkEmulator.Shape shape = new LinkEmulator.Shape(lossPercent, rttMs, rateMbit, queueBdp);
        try (LinkEmulator link = new LinkEmulator(linkemu(), shape, run.seed + round)) {
            return new LinkRun(kind, flows, link, warmupSeconds, seconds).measure();
        }
    }

    /** Returns a number for labels and options, without a fraction of zero. */
    static String number(double value) {
        return value == Math.rint(value) ? Long.toString((long) value) : Double.toString(value);
    }
}

package io.kcp.bench.experiment;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Measures delivery delay and goodput of TCP, QUIC, kcp-go and this library over an emulated link with delay and loss. Both KCP
 * implementations run with the same FEC shapes and without FEC.
 */
@Command(name = "lossy-link", mixinStandardHelpOptions = true,
    description = "Measures delivery delay and goodput over a link with delay and loss.")
final class LossyLink extends LinkCommand {

    @Option(names = "--loss", split = ",", defaultValue = "0,1,5,10,20", description = "loss in percent, each way (${DEFAULT-VALUE})")
    List<Double> lossPercents = List.of();

    @Option(names = "--kinds", split = ",", defaultValue = "delay-50,delay-500,goodput",
        description = "what to measure: delay with a number of messages per second, or goodput (${DEFAULT-VALUE})")
    List<LinkKind> kinds = List.of();

    @Option(names = "--queue-bdp", defaultValue = "2",
        description = "length of the queue as a multiple of the rate times the round-trip time (${DEFAULT-VALUE})")
    double queueBdp;

    LossyLink() {
        super(new RunOptions(3, 4, 4).attempts(3));
    }

    /** Returns all contenders. Those of this library without FEC differ in what conceals losses and in their congestion control. */
    static List<Contender> contenders() {
        return Stream.of(Stream.of(Contender.of(Peer.OURS), Contender.ours("auto", "--auto"),
            Contender.ours("redundancy", "--redundancy", "ON"),
            Contender.ours(BBR, "--congestion-control", "BBR", "--window", "16384")),
            fec("2:1"), fec("10:3"), Stream.of(Contender.of(Peer.KCP_GO)), tcp(), Stream.of(Contender.of(Peer.QUIC)))
            .flatMap(each -> each).toList();
    }

    @Override
    public List<Cell> cells() throws IOException, InterruptedException {
        Peers.check(run, contenders(), spec.commandLine());
        Peers peers = new Peers(run);
        List<Contender> contenders = select(peers, contenders());
        List<Cell> cells = new ArrayList<>();
        for (LinkKind kind : kinds) {
            for (double loss : lossPercents) {
                for (Contender contender : contenders) {
                    List<LinkRun.Flow> flows = List.of(flow(peers, contender));
                    cells.add(Cell.of(contender, kind.metrics(),
                        round -> measure(kind, flows, loss, queueBdp, run.warmupSeconds, run.seconds, round),
                        "kind", kind.toString(), "loss_percent", number(loss)));
                }
            }
        }
        return cells;
    }
}

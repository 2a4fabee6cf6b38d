package io.kcp.bench.experiment;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Compares the congestion control of this library with TCP, QUIC and kcp-go over an emulated link: goodput and queueing delay of single
 * flows, and the share that this library gets beside another flow.
 */
@Command(name = "link-comparison", mixinStandardHelpOptions = true,
    description = "Compares goodput, queueing delay and sharing over an emulated link.")
final class LinkComparison extends LinkCommand {

    private static final String NONE = "none";
    private static final String[] OUR_BBR = {"--congestion-control", "BBR", "--window", "16384"};

    @Option(names = "--loss", split = ",", defaultValue = "0,1,5", description = "loss in percent, each way (${DEFAULT-VALUE})")
    List<Double> lossPercents = List.of();

    @Option(names = "--queue-bdp", split = ",", defaultValue = "1",
        description = "single flows: length of the queue as a multiple of the rate times the round-trip time (${DEFAULT-VALUE})")
    List<Double> queuesBdp = List.of();

    @Option(names = "--beside", split = ",", defaultValue = "tcp cubic,tcp bbr",
        description = "second flows for the share of this library, or none (${DEFAULT-VALUE})")
    List<String> rivals = List.of();

    @Option(names = "--only-sharing", description = "do not measure single flows")
    boolean onlySharing;

    @Option(names = "--sharing-queue-bdp", split = ",", defaultValue = "1,2,4",
        description = "sharing: length of the queue (${DEFAULT-VALUE})")
    List<Double> sharingQueuesBdp = List.of();

    @Option(names = "--sharing-loss", split = ",", defaultValue = "0", description = "sharing: loss in percent (${DEFAULT-VALUE})")
    List<Double> sharingLossPercents = List.of();

    @Option(names = "--sharing-warmup", defaultValue = "10", description = "warm-up of two flows in seconds (${DEFAULT-VALUE})")
    double sharingWarmupSeconds;

    @Option(names = "--sharing-seconds", defaultValue = "30", description = "measured time of two flows in seconds (${DEFAULT-VALUE})")
    double sharingSeconds;

    LinkComparison() {
        super(new RunOptions(3, 8, 4));
    }

    /** Returns the contenders for single flows. */
    static List<Contender> contenders() {
        return Stream.of(Stream.of(Contender.ours(BBR, OUR_BBR), Contender.ours("auto", "--auto"),
            Contender.ours(BBR + " fec 2:1", OUR_BBR)), tcp(), Stream.of(Contender.of(Peer.QUIC),
            Contender.of(Peer.KCP_GO, "nc 0", "--nc", "0"), Contender.of(Peer.KCP_GO, "nc 1", "--nc", "1"),
            Contender.of(Peer.KCP_GO, "nc 1 fec 2:1", "--nc", "1"),
            Contender.of(Peer.KCP_GO, "nc 1 window 4096", "--nc", "1", "--sndwnd", "4096", "--rcvwnd", "4096"))).flatMap(each -> each)
            .toList();
    }

    @Override
    public List<Cell> cells() throws IOException, InterruptedException {
        List<Contender> all = contenders();
        Peers.check(run, all, spec.commandLine());
        requireKnown("--beside", rivals, Stream.concat(all.stream().map(Contender::name), Stream.of(NONE)).toList());
        Peers peers = new Peers(run);
        List<Cell> cells = new ArrayList<>();
        if (!onlySharing) {
            for (Contender contender : select(peers, all)) {
                addCells(cells, contender, List.of(flow(peers, contender)), NONE);
            }
        }
        run.peers = null;
        for (Contender rival : select(peers, all.stream().filter(contender -> rivals.contains(contender.name())).toList())) {
            for (Contender contender : select(peers, List.of(Contender.ours(BBR, OUR_BBR)))) {
                addCells(cells, contender, List.of(flow(peers, contender), flow(peers, rival)), rival.name());
            }
        }
        return cells;
    }

    private void addCells(List<Cell> cells, Contender contender, List<LinkRun.Flow> flows, String rival) {
        boolean sharing = flows.size() > 1;
        double warmup = sharing ? sharingWarmupSeconds : run.warmupSeconds;
        double measured = sharing ? sharingSeconds : run.seconds;
        for (double loss : sharing ? sharingLossPercents : lossPercents) {
            for (double queue : sharing ? sharingQueuesBdp : queuesBdp) {
                cells.add(Cell.of(contender, LinkKind.GOODPUT.metrics(),
                    round -> measure(LinkKind.GOODPUT, flows, loss, queue, warmup, measured, round),
                    "kind", LinkKind.GOODPUT.toString(), "beside", rival, "loss_percent", number(loss), "queue_bdp", number(queue)));
            }
        }
    }
}

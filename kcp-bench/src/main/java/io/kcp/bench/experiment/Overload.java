package io.kcp.bench.experiment;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Measures how a server recovers from overload. The experiment first measures how many messages per second the server can echo. It then
 * offers 60 % of that rate, without waiting for responses, and lets one event happen: either the rate is five times as high for three
 * seconds, or the server process is stopped for two seconds. The clients use this library and run in this process.
 */
@Command(name = "overload", description = "Measures how servers recover from overload.", mixinStandardHelpOptions = true)
final class Overload extends PinnedCommand {

    private static final double MAX_RETRANSMITTED_PERCENT = 10;
    private static final double MIN_GOODPUT_PERCENT = 90;
    private static final List<Contender> SERVERS = Stream.of(Peer.OURS, Peer.KCP_GO).map(Contender::of).toList();
    private static final List<Metric> METRICS = List.of(Metric.RECOVERY_S, Metric.RECOVERY_LIMIT_S, Metric.SATURATION_S,
        Metric.QUIET_P50_MS, Metric.END_P50_MS, Metric.UNSERVED, Metric.RETRANSMITTED_PERCENT, Metric.GOODPUT_PERCENT,
        Metric.CLOSED_SESSIONS, Metric.LOST, Metric.CLIENT_RETRANSMITTED_PERCENT, Metric.SOCKET_DROPS);

    @Option(names = "--events", split = ",", defaultValue = "burst,stop", description = "events (${DEFAULT-VALUE})")
    List<OverloadEvent> events = new ArrayList<>();

    @Mixin
    OverloadOptions options = new OverloadOptions();

    Overload() {
        // The measured time is that of the recovery.
        super(new RunOptions(1, 20, 15));
    }

    @Override
    public List<Cell> cells() throws IOException, InterruptedException {
        Peers.check(run, SERVERS, spec.commandLine());
        Peers peers = new Peers(run);
        Pinning pinning = pinThisProcess();
        List<Cell> cells = new ArrayList<>();
        for (OverloadEvent event : events) {
            for (Contender contender : peers.select(SERVERS)) {
                Peer peer = peers.program(contender);
                cells.add(Cell.of(contender, METRICS,
                    round -> new OverloadRun(contender, peer, pinning, event, options, run).measure(), "event", event.toString()));
            }
        }
        return cells;
    }

    @Override
    public List<Requirement> requirements(Results results) {
        List<Requirement> requirements = new ArrayList<>();
        for (String group : results.groups()) {
            for (Cell cell : results.cells(group)) {
                if (!results.runs(cell).isEmpty()) {
                    double recovery = results.median(cell, Metric.RECOVERY_S);
                    requirements.add(Requirement.atMost(cell, "recovery in s", Double.isNaN(recovery) ? Double.POSITIVE_INFINITY : recovery,
                        results.median(cell, Metric.RECOVERY_LIMIT_S)));
                    double retransmitted = results.median(cell, Metric.RETRANSMITTED_PERCENT);
                    if (!Double.isNaN(retransmitted)) {
                        requirements.add(Requirement.atMost(cell, "retransmitted, %", retransmitted, MAX_RETRANSMITTED_PERCENT));
                    }
                    double goodput = results.median(cell, Metric.GOODPUT_PERCENT);
                    if (!Double.isNaN(goodput)) {
                        requirements.add(Requirement.atMost(cell, "goodput missing to the saturation, %", 100 - goodput,
                            100 - MIN_GOODPUT_PERCENT));
                    }
                    requirements.add(Requirement.atMost(cell, "closed sessions", results.median(cell, Metric.CLOSED_SESSIONS), 0));
                }
            }
        }
        return requirements;
    }
}

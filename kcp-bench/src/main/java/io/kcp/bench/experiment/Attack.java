package io.kcp.bench.experiment;

import io.kcp.bench.attack.AttackKind;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Measures how well servers withstand hostile traffic. Legitimate sessions send messages to an echo server at a constant rate before,
 * during and after an attack. All addresses are in 127.0.0.0/8, so that no datagram leaves the machine. Each attack stops after a fixed
 * time. The attacker and the legitimate clients, which use this library, run in this process. Each attack first runs for
 * {@code --rehearsal-seconds} without being measured, so that the result does not depend on the JIT compiler.
 *
 * <p>All servers on the JVM have the same small heap. A JVM uses its whole heap before it collects closed sessions, so a larger heap would
 * appear as growth of the resident memory, although no attack retains that memory. Addresses of 127.0.0.0/8 are trusted by default, so the
 * server of this library is started with no trusted prefixes.
 */
@Command(name = "attack", description = "Measures how well servers withstand hostile traffic.", mixinStandardHelpOptions = true)
final class Attack extends PinnedCommand {

    private static final double MAX_FACTOR = 2;
    private static final double MAX_ADDED_MS = 5;
    private static final double MAX_RSS_GROWTH_MB = 64;
    private static final double MAX_REFLECTION = 3;
    private static final double MAX_RECOVERY_SECONDS = 2;
    private static final List<Contender> SERVERS =
        Stream.of(Peer.OURS, Peer.KCP_GO, Peer.JAVA_KCP, Peer.QUIC).map(Contender::of).toList();
    private static final List<Metric> METRICS = List.of(Metric.P99_MS, Metric.LOST, Metric.QUIET_P50_MS, Metric.QUIET_P99_MS,
        Metric.P50_MS, Metric.OPENED, Metric.OPENING_P95_MS, Metric.RSS_GROWTH_MB, Metric.PEAK_SESSIONS, Metric.WORST_REFLECTION,
        Metric.RECOVERY_S, Metric.ATTACK_DATAGRAMS_S, Metric.SERVER_CPU);

    @Option(names = "--attacks", split = ",", description = "names of the attacks (${DEFAULT-VALUE})")
    List<String> attackNames = Arrays.stream(AttackKind.values()).map(AttackKind::toString).toList();

    @Mixin
    AttackOptions options = new AttackOptions();

    Attack() {
        super(new RunOptions(1, 10, 4));
    }

    /** Returns the highest 99th percentile of the delay that is considered normal. */
    static double maxP99Ms(double quietP99Ms) {
        return Math.max(MAX_FACTOR * quietP99Ms, quietP99Ms + MAX_ADDED_MS);
    }

    @Override
    String title(String group) {
        return Arrays.stream(AttackKind.values()).filter(attack -> attack.toString().equals(group))
            .map(attack -> attack.title() + ' ' + attack.parts() + ": ").findFirst().orElse("");
    }

    @Override
    public List<Cell> cells() throws IOException, InterruptedException {
        requireKnown("--attacks", attackNames, Arrays.stream(AttackKind.values()).map(AttackKind::toString).toList());
        Peers.check(run, SERVERS, spec.commandLine());
        Peers peers = new Peers(run);
        List<String> prefix = pinThisProcess().server();
        List<Cell> cells = new ArrayList<>();
        for (AttackKind attack : AttackKind.values()) {
            for (Contender contender : peers.select(attackNames.contains(attack.toString()) ? SERVERS : List.of())) {
                AttackTarget target = AttackTarget.of(contender, peers.program(contender), prefix);
                if (target.supports(attack)) {
                    Cell.Measurement measurement = target.isQuic() ? round -> new QuicAttackRun(target, attack, options, run).measure()
                        : round -> new AttackRun(target, attack, options, run).measure();
                    cells.add(Cell.of(contender, METRICS, measurement, "attack", attack.toString()));
                }
            }
        }
        return cells;
    }

    @Override
    public boolean mayFail(Cell cell) {
        return !cell.peer().equals(Peer.OURS) && !cell.peer().equals(Peer.BEFORE);
    }

    @Override
    public List<Requirement> requirements(Results results) {
        List<Requirement> requirements = new ArrayList<>();
        for (String group : results.groups()) {
            for (Cell cell : results.cells(group)) {
                if (!results.runs(cell).isEmpty()) {
                    add(requirements, results, cell, Metric.LOST, 0);
                    add(requirements, results, cell, Metric.P99_MS, maxP99Ms(results.median(cell, Metric.QUIET_P99_MS)));
                    requirements.add(Requirement.atMost(cell, "new sessions that failed",
                        results.median(cell, Metric.NEWCOMERS) - results.median(cell, Metric.OPENED), 0));
                    add(requirements, results, cell, Metric.RSS_GROWTH_MB, MAX_RSS_GROWTH_MB);
                    if (results.median(cell, Metric.MAX_SESSIONS) > 0) {
                        add(requirements, results, cell, Metric.PEAK_SESSIONS, results.median(cell, Metric.MAX_SESSIONS));
                    }
                    add(requirements, results, cell, Metric.WORST_REFLECTION, MAX_REFLECTION);
                    add(requirements, results, cell, Metric.RECOVERY_S, MAX_RECOVERY_SECONDS);
                }
            }
        }
        return requirements;
    }

    private static void add(List<Requirement> requirements, Results results, Cell cell, Metric metric, double limit) {
        double median = results.median(cell, metric);
        double value = Double.isNaN(median) && metric.missingIsWorst() ? Double.POSITIVE_INFINITY : median;
        if (!Double.isNaN(value)) {
            requirements.add(Requirement.atMost(cell, metric.label(), value, limit));
        }
    }
}

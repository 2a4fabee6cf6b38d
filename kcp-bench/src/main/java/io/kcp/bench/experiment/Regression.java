package io.kcp.bench.experiment;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/**
 * Checks that the current build is not slower than an earlier one. Pairs of runs in random order are compared by user CPU time, allocated
 * bytes and system calls per operation, because these hold still on a machine whose speed changes. For each of them, {@link SequentialGate}
 * requires that the current build has at least 0.95 of the earlier build's efficiency. Throughput is printed but decides nothing.
 *
 * <p>A scenario that is undecided after {@code --rounds} pairs or {@code --minutes} minutes has failed.
 */
@Command(name = "regression", description = "Checks that this build is not slower than an earlier one.", mixinStandardHelpOptions = true)
final class Regression extends ScenarioCommand {

    private static final List<Metric> DECISIVE =
        List.of(Metric.USER_US_OPERATION, Metric.ALLOCATED_BYTES_OPERATION, Metric.SYSCALLS_OPERATION);
    private static final List<Metric> BESIDE = List.of(Metric.OPERATIONS_S, Metric.MEDIAN_US, Metric.P99_US);

    @Option(names = "--floor", defaultValue = "0.95", description = "smallest acceptable ratio (${DEFAULT-VALUE})")
    double floor;

    @Option(names = "--minutes", defaultValue = "60", description = "maximum time of a scenario in minutes (${DEFAULT-VALUE})")
    double minutes;

    @Option(names = "--without-syscalls", description = "do not count system calls, for machines without perf")
    boolean withoutSyscalls;

    @Option(names = "--planted-slowdown", defaultValue = "0",
        description = "percent by which the CPU time of this build is increased, to check that the gate notices it (${DEFAULT-VALUE})")
    double plantedPercent;

    private final Map<String, Long> startNs = new HashMap<>();

    Regression() {
        super(new RunOptions(SequentialGate.MAX_PAIRS, 6, 4), List.of("one-way", "echo", "small", "ping-pong"));
    }

    @Override
    @Nullable String obstacle() throws InterruptedException {
        if (run.rounds < 2) {
            throw new ParameterException(spec.commandLine(), "--rounds: " + run.rounds + " (expected: at least 2)");
        }
        if (run.before == null) {
            throw new ParameterException(spec.commandLine(), "--before is missing: the commit or jar to compare with");
        }
        String problem = withoutSyscalls ? null : SyscallCounter.obstacle();
        if (problem != null) {
            throw new ParameterException(spec.commandLine(), problem + "; --without-syscalls leaves this metric out");
        }
        return null;
    }

    @Override
    public List<Cell> cells() throws IOException, InterruptedException {
        Pinning pinning = Pinning.find();
        run.peers = List.of(Peer.OURS);
        Peers peers = new Peers(run);
        List<Metric> metrics = new ArrayList<>(DECISIVE);
        metrics.addAll(BESIDE);
        List<Cell> cells = new ArrayList<>();
        for (Scenario scenario : scenarios(pinning)) {
            cells.addAll(cells(scenario, List.of(scenario.contenders().get(0)), metrics, peers, (contender, peer) -> round -> {
                startNs.putIfAbsent(scenario.name(), System.nanoTime());
                Peer program = peer.name().equals(Peer.OURS) && plantedPercent > 0 ? SlowedLoad.slowed(run, plantedPercent) : peer;
                return new LoadRun(scenario, contender, program, run, durations, pinning, !withoutSyscalls).run();
            }));
        }
        return cells;
    }

    @Override
    public boolean isGate() {
        return true;
    }

    @Override
    public boolean isDecided(String group, Results results) {
        List<SequentialGate.Verdict> verdicts = decisive().stream()
            .map(metric -> verdict(decision(results, group, metric, isTimeUp(group)))).toList();
        boolean hasFailed = results.failures().keySet().stream().anyMatch(cell -> cell.group().equals(group));
        return hasFailed || isTimeUp(group) || verdicts.contains(SequentialGate.Verdict.FAILED)
            || !verdicts.contains(SequentialGate.Verdict.UNDECIDED);
    }

    private boolean isTimeUp(String group) {
        return System.nanoTime() - startNs.getOrDefault(group, System.nanoTime()) > minutes * TimeUnit.MINUTES.toNanos(1);
    }

    private List<Metric> decisive() {
        return DECISIVE.stream().filter(metric -> metric != Metric.SYSCALLS_OPERATION || !withoutSyscalls).toList();
    }

    /** Returns the decision about a metric, or null if there are fewer than two pairs. */
    private SequentialGate.@Nullable Decision decision(Results results, String group, Metric metric, boolean isLast) {
        List<Double> ratios = ratios(results, group, metric);
        return ratios.size() < 2 ? null : new SequentialGate(floor, run.rounds).decide(ratios, isLast);
    }

    private static SequentialGate.Verdict verdict(SequentialGate.@Nullable Decision decision) {
        return decision == null ? SequentialGate.Verdict.UNDECIDED : decision.verdict();
    }

    private static List<Double> ratios(Results results, String group, Metric metric) {
        List<Cell> cells = results.cells(group);
        Cell before = cells.stream().filter(cell -> cell.peer().equals(Peer.BEFORE)).findFirst().orElseThrow();
        Cell after = cells.stream().filter(cell -> cell.peer().equals(Peer.OURS)).findFirst().orElseThrow();
        return results.ratios(after, before, metric);
    }

    @Override
    public List<Requirement> requirements(Results results) {
        List<Requirement> requirements = new ArrayList<>();
        for (String group : results.groups()) {
            for (Metric metric : decisive()) {
                SequentialGate.Decision decision = decision(results, group, metric, true);
                requirements.add(new Requirement(group + ", efficiency by " + metric.label() + ' '
                    + (decision == null ? "unknown" : decision) + " (at least " + floor + ')',
                    verdict(decision) == SequentialGate.Verdict.PASSED));
            }
            for (Metric metric : BESIDE) {
                List<Double> ratios = ratios(results, group, metric);
                if (ratios.size() >= 2) {
                    out.println("beside: " + group + ", " + metric.label() + ": " + RatioInterval.of(ratios) + ", not decisive");
                }
            }
        }
        return requirements;
    }
}

package io.kcp.bench;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/**
 * Compares the performance of the current build with that of an earlier build. Both run every scenario in pairs whose order alternates, so
 * that a machine that slows down or warms up favors neither build. The command prints the geometric mean ratio of each metric with its 95 %
 * confidence interval. A ratio above 1 means that this build is better.
 *
 * <pre>
 * mvn -q -Pbench -Dmaven.test.skip -pl kcp-bench -am package
 * java -cp kcp-bench/target/benchmarks.jar io.kcp.bench.PairedComparison --before ../earlier/kcp-bench/target/benchmarks.jar
 * </pre>
 *
 * <p>The exit code is 1 if a run failed, or if the upper end of the interval is below {@code --floor} for the first metric of a scenario.
 */
@Command(name = "paired-comparison", description = "Compares this build with an earlier one in alternating pairs.",
    mixinStandardHelpOptions = true)
final class PairedComparison implements Callable<Integer> {

    private static final String BEFORE = "before";
    private static final String AFTER = "after";

    @Option(names = "--before", required = true, description = "benchmarks.jar of the earlier build")
    @SuppressWarnings("NullAway.Init")
    Path before;

    @Option(names = "--scenarios", split = ",", defaultValue = "one-way,echo,small,ping-pong",
        description = "names as in SideBySide --list (${DEFAULT-VALUE})")
    List<String> scenarioNames = new ArrayList<>();

    @Option(names = "--pairs", defaultValue = "7", description = "number of pairs of runs per scenario, at least 2 (${DEFAULT-VALUE})")
    int pairs;

    @Option(names = "--floor", defaultValue = "0.97",
        description = "smallest acceptable ratio; the comparison fails if the whole interval is below it (${DEFAULT-VALUE})")
    double floor;

    @Mixin
    RunDurations durations = new RunDurations();

    @Option(names = "--jvm-option", description = "JVM option of all processes; may be repeated")
    List<String> jvmOptions = new ArrayList<>();

    private final Pinning pinning = Pinning.find();

    @CommandLine.Spec
    @SuppressWarnings("NullAway.Init")
    CommandLine.Model.CommandSpec spec;

    public static void main(String[] arguments) {
        System.exit(new CommandLine(new PairedComparison()).execute(arguments));
    }

    @Override
    public Integer call() throws InterruptedException {
        if (pairs < 2) {
            throw new ParameterException(spec.commandLine(), "--pairs: " + pairs + " (expected: at least 2)");
        }
        if (!Files.isReadable(before)) {
            throw new ParameterException(spec.commandLine(), "--before: cannot read " + before);
        }
        Peer earlier = Peer.ours(jvmOptions, before.toAbsolutePath().toString());
        Peer current = Peer.ours(jvmOptions);
        System.out.println("CPU: " + ResultsFile.cpuModel());
        boolean passed = true;
        for (Scenario scenario : Scenarios.named(scenarioNames, spec.commandLine())) {
            if (scenario.pinned() && pinning.problem() != null) {
                throw new ParameterException(spec.commandLine(), scenario.name() + " cannot run: " + pinning.problem());
            }
            passed &= compare(scenario, earlier, current);
        }
        return passed ? 0 : CommandLine.ExitCode.SOFTWARE;
    }

    private boolean compare(Scenario scenario, Peer earlier, Peer current) throws InterruptedException {
        Map<Metric, List<Double>> ratios = new EnumMap<>(Metric.class);
        for (int pair = 1; pair <= pairs; pair++) {
            try {
                boolean earlierFirst = pair % 2 == 1;
                Map<Metric, Double> first = run(scenario, earlierFirst ? earlier : current, pair, earlierFirst ? BEFORE : AFTER);
                Map<Metric, Double> second = run(scenario, earlierFirst ? current : earlier, pair, earlierFirst ? AFTER : BEFORE);
                addRatios(ratios, scenario, earlierFirst ? first : second, earlierFirst ? second : first);
            } catch (IllegalStateException failure) {
                System.out.println(scenario.name() + " FAILED: " + failure.getMessage());
                return false;
            }
        }
        boolean passed = true;
        for (Metric metric : scenario.metrics()) {
            List<Double> metricRatios = ratios.getOrDefault(metric, List.of());
            if (metricRatios.size() >= 2) {
                Statistics.RatioInterval interval = Statistics.RatioInterval.of(metricRatios);
                boolean decides = metric == scenario.metrics().get(0);
                boolean fallsShort = interval.upper() < floor;
                passed &= !(decides && fallsShort);
                System.out.printf(Locale.ROOT, "%-16s %-20s %.3f (%.3f to %.3f)%s%n", scenario.name(), metric.label(), interval.mean(),
                    interval.lower(), interval.upper(), fallsShort ? decides ? "  FALLS SHORT" : "  (worse)" : "");
            }
        }
        return passed;
    }

    private Map<Metric, Double> run(Scenario scenario, Peer peer, int pair, String build) throws InterruptedException {
        Map<Metric, Double> result = new ScenarioRun(scenario, scenario.contenders().get(0), peer, durations, pinning).run();
        System.out.printf(Locale.ROOT, "%-16s %d/%d %-7s %s%n", scenario.name(), pair, pairs, build,
            ResultText.line(scenario.metrics(), result));
        return result;
    }

    private static void addRatios(Map<Metric, List<Double>> ratios, Scenario scenario, Map<Metric, Double> before,
        Map<Metric, Double> after) {
        for (Metric metric : scenario.metrics()) {
            double ratio = after.getOrDefault(metric, Double.NaN) / before.getOrDefault(metric, Double.NaN);
            if (ratio > 0 && Double.isFinite(ratio)) {
                ratios.computeIfAbsent(metric, any -> new ArrayList<>()).add(metric.higherIsBetter() ? ratio : 1 / ratio);
            }
        }
    }
}

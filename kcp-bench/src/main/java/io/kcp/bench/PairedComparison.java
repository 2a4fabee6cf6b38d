package io.kcp.bench;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
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
 * Compares this build with an earlier one: both run every scenario in pairs, and the earlier build runs first in every
 * second pair, so that a machine that slows down or warms up favours neither. Prints the mean ratio of each metric with
 * its 95 % confidence interval; 1 means no change, more than 1 means that this build is better.
 *
 * <pre>
 * mvn -q -Pbench -Dmaven.test.skip -pl kcp-core,kcp-netty,kcp-bench package
 * java -cp kcp-bench/target/benchmarks.jar io.kcp.bench.PairedComparison --before ../earlier/kcp-bench/target/benchmarks.jar
 * </pre>
 *
 * <p>The exit code is 1 if the first metric of a scenario falls short, that is, if the upper end of its interval is below
 * {@code --floor}, or if a run failed.
 */
@Command(name = "paired-comparison", description = "Compares this build with an earlier one in alternating pairs.",
    mixinStandardHelpOptions = true)
public final class PairedComparison implements Callable<Integer> {

    private static final String BEFORE = "before";
    private static final String AFTER = "after";

    @Option(names = "--before", required = true, description = "benchmarks.jar of the earlier build")
    @SuppressWarnings("NullAway.Init")
    Path before;

    @Option(names = "--scenarios", split = ",", defaultValue = "one-way,echo,small,ping-pong",
        description = "names as in SideBySide --list (${DEFAULT-VALUE})")
    List<String> scenarioNames = new ArrayList<>();

    @Option(names = "--pairs", defaultValue = "7", description = "pairs of runs for each scenario, at least 2 (${DEFAULT-VALUE})")
    int pairs;

    @Option(names = "--floor", defaultValue = "0.97",
        description = "smallest acceptable ratio; the comparison fails if the whole interval is below it (${DEFAULT-VALUE})")
    double floor;

    @Mixin
    RunTimes times = new RunTimes();

    @Option(names = "--jvm-option", description = "JVM option of all processes; may be repeated")
    List<String> jvmOptions = new ArrayList<>();

    @CommandLine.Spec
    @SuppressWarnings("NullAway.Init")
    CommandLine.Model.CommandSpec spec;

    /** Creates the command. */
    public PairedComparison() {
    }

    /**
     * Runs the command.
     *
     * @param arguments see {@code --help}
     */
    public static void main(String[] arguments) {
        System.exit(new CommandLine(new PairedComparison()).execute(arguments));
    }

    @Override
    public Integer call() {
        if (pairs < 2) {
            throw new ParameterException(spec.commandLine(), "--pairs: " + pairs + " (expected: at least 2)");
        }
        if (!Files.isReadable(before)) {
            throw new ParameterException(spec.commandLine(), "--before: cannot read " + before);
        }
        Peer earlier = new OurPeer(jvmOptions, before.toAbsolutePath().toString());
        Peer current = new OurPeer(jvmOptions);
        System.out.println("CPU: " + Machine.cpu());
        boolean passed = true;
        for (Scenario scenario : Scenarios.named(scenarioNames, spec.commandLine())) {
            passed &= compare(scenario, earlier, current);
        }
        return passed ? 0 : CommandLine.ExitCode.SOFTWARE;
    }

    private boolean compare(Scenario scenario, Peer earlier, Peer current) {
        Contender contender = scenario.contenders().get(0);
        Map<Metric, List<Double>> ratios = new EnumMap<>(Metric.class);
        for (int pair = 0; pair < pairs; pair++) {
            Map<String, Map<Metric, Double>> results = new LinkedHashMap<>();
            boolean earlierFirst = pair % 2 == 0;
            for (boolean runEarlier : new boolean[] {earlierFirst, !earlierFirst}) {
                String build = runEarlier ? BEFORE : AFTER;
                String head = String.format(Locale.ROOT, "%-16s %d/%d %-7s ", scenario.name(), pair + 1, pairs, build);
                try {
                    Map<Metric, Double> result =
                        new ScenarioRun(scenario, contender, runEarlier ? earlier : current, times).run();
                    System.out.println(head + ResultText.figures(scenario.metrics(), result));
                    results.put(build, result);
                } catch (IllegalStateException failure) {
                    System.out.println(head + "FAILED: " + failure.getMessage());
                    return false;
                }
            }
            addRatios(ratios, scenario, results);
        }
        boolean passed = true;
        for (Metric metric : scenario.metrics()) {
            List<Double> ofMetric = ratios.getOrDefault(metric, List.of());
            if (ofMetric.size() >= 2) {
                RatioInterval interval = RatioInterval.of(ofMetric);
                boolean decides = metric == scenario.metrics().get(0);
                boolean fallsShort = interval.upper() < floor;
                passed &= !(decides && fallsShort);
                System.out.printf(Locale.ROOT, "%-16s %-20s %.3f (%.3f to %.3f)%s%n", scenario.name(), metric.label(), interval.mean(),
                    interval.lower(), interval.upper(), fallsShort ? decides ? "  FALLS SHORT" : "  (worse)" : "");
            }
        }
        return passed;
    }

    private static void addRatios(Map<Metric, List<Double>> ratios, Scenario scenario, Map<String, Map<Metric, Double>> results) {
        for (Metric metric : scenario.metrics()) {
            double was = results.getOrDefault(BEFORE, Map.of()).getOrDefault(metric, Double.NaN);
            double is = results.getOrDefault(AFTER, Map.of()).getOrDefault(metric, Double.NaN);
            if (was > 0 && is > 0 && Double.isFinite(was) && Double.isFinite(is)) {
                ratios.computeIfAbsent(metric, any -> new ArrayList<>()).add(metric.moreIsBetter() ? is / was : was / is);
            }
        }
    }
}

package io.kcp.bench.experiment;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** Checks the decisions of the command with simulated runs of two builds. */
class RegressionTest {

    private static final double DEVIATION = 0.03;

    private final Random random = new Random(6);
    private final Regression regression = new Regression();
    private final Results results = new Results();
    private final Cell before = cell(Peer.BEFORE);
    private final Cell ours = cell(Peer.OURS);

    RegressionTest() {
        new CommandLine(regression).parseArgs("--before", "HEAD");
    }

    private static Cell cell(String peer) {
        return Cell.of(Contender.of(peer), List.of(Metric.USER_US_OPERATION), round -> Map.of(), "scenario", "small");
    }

    /** Adds pairs until the command has decided, and returns their number. */
    private int decide(double userFactor, double syscallFactor) {
        int round = 0;
        while (round < 2 || !regression.isDecided("small", results)) {
            round++;
            results.add(before, run(round, 1, 1));
            results.add(ours, run(round, userFactor, syscallFactor));
        }
        return round;
    }

    private Results.Run run(int round, double userFactor, double syscallFactor) {
        return new Results.Run(round, 0, Map.of(Metric.USER_US_OPERATION, noise(userFactor), Metric.ALLOCATED_BYTES_OPERATION, 64.0,
            Metric.SYSCALLS_OPERATION, noise(0.02 * syscallFactor), Metric.OPERATIONS_S, noise(1_000_000)));
    }

    private double noise(double value) {
        return value * Math.exp(DEVIATION * random.nextGaussian());
    }

    @Test
    void buildPassesAgainstItself() {
        assertThat(decide(1, 1)).isLessThanOrEqualTo(SequentialGate.MAX_PAIRS);
        assertThat(regression.requirements(results)).hasSize(3).allMatch(Requirement::reached);
    }

    @Test
    void plantedSlowdownOfSixPercentFails() {
        decide(1.06, 1);
        assertThat(regression.requirements(results)).filteredOn(requirement -> !requirement.reached()).singleElement()
            .satisfies(missed -> assertThat(missed.text()).contains("small", Metric.USER_US_OPERATION.label()));
    }

    @Test
    void moreSystemCallsFail() {
        decide(1, 1.2);
        assertThat(regression.requirements(results)).filteredOn(requirement -> !requirement.reached())
            .anySatisfy(missed -> assertThat(missed.text()).contains(Metric.SYSCALLS_OPERATION.label()));
    }

    @Test
    void failedRunIsNotPassed() {
        results.addFailure(ours, "no ready");
        results.add(before, run(1, 1, 1));
        assertThat(regression.isDecided("small", results)).isTrue();
        assertThat(regression.requirements(results)).hasSize(3).noneMatch(Requirement::reached);
    }
}

package io.kcp.bench.experiment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.kcp.bench.experiment.SequentialGate.Decision;
import io.kcp.bench.experiment.SequentialGate.Verdict;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the gate with simulated pairs, whose ratios are lognormal. */
class SequentialGateTest {

    private static final int TESTS = 2_000;
    private static final double FLOOR = 0.95;
    /** Numbers of pairs after which a test asks for a decision: all looks, and some others. */
    private static final List<Integer> SIZES = List.of(2, 8, 9, 15, 20, 25, 40, 60);

    /** Returns the share of tests that pass. */
    private static double passing(double ratio, double deviation) {
        Random random = new Random(31);
        int passed = 0;
        for (int test = 0; test < TESTS; test++) {
            passed += decide(random, ratio, deviation).verdict() == Verdict.PASSED ? 1 : 0;
        }
        return (double) passed / TESTS;
    }

    private static Decision decide(Random random, double ratio, double deviation) {
        SequentialGate gate = new SequentialGate(FLOOR, SequentialGate.MAX_PAIRS);
        List<Double> ratios = Stream.generate(() -> ratio * Math.exp(deviation * random.nextGaussian()))
            .limit(SequentialGate.MAX_PAIRS).toList();
        return SIZES.stream().map(size -> gate.decide(ratios.subList(0, size), false))
            .filter(decision -> decision.verdict() != Verdict.UNDECIDED).findFirst().orElseThrow();
    }

    @ParameterizedTest
    @ValueSource(doubles = {0.01, 0.03, 0.06, 0.1})
    @Tag("slow")
    void equalVersionsPass(double deviation) {
        assertThat(passing(1, deviation)).isGreaterThan(0.8);
    }

    @ParameterizedTest
    @ValueSource(doubles = {0.01, 0.03, 0.06, 0.1, 0.2})
    @Tag("slow")
    void slowdownOfSixPercentFails(double deviation) {
        assertThat(passing(1 / 1.06, deviation)).isLessThan(0.025);
    }

    @ParameterizedTest
    @ValueSource(doubles = {0.01, 0.03, 0.1, 0.2})
    @Tag("slow")
    void repeatedLooksDoNotLetAVersionAtTheFloorPass(double deviation) {
        // More than 3.3 % of 2,000 tests would pass once in 1,000 runs if the probability were 2.5 %.
        assertThat(passing(FLOOR, deviation)).isLessThan(0.034);
    }

    @Test
    void stillMetricIsDecidedAtTheFirstLook() {
        Decision decision = decide(new Random(1), 1, 0.01);
        assertThat(decision.verdict()).isEqualTo(Verdict.PASSED);
        assertThat(decision.pairs()).isEqualTo(8);
        assertThat(decide(new Random(1), 0.5, 0.01).verdict()).isEqualTo(Verdict.FAILED);
    }

    @Test
    void undecidedAfterTheLastPairIsFailed() {
        List<Double> ratios = new ArrayList<>(Collections.nCopies(30, 0.5));
        ratios.addAll(Collections.nCopies(30, 2.5));
        Collections.shuffle(ratios, new Random(1));
        SequentialGate gate = new SequentialGate(FLOOR, SequentialGate.MAX_PAIRS);
        assertThat(gate.decide(ratios.subList(0, 59), false).verdict()).isEqualTo(Verdict.UNDECIDED);
        assertThat(gate.decide(ratios, false).verdict()).isEqualTo(Verdict.FAILED);
    }

    @Test
    void endOfTheTimeIsALook() {
        SequentialGate gate = new SequentialGate(FLOOR, SequentialGate.MAX_PAIRS);
        List<Double> ratios = List.of(0.9, 1.2, 0.9, 1.2, 0.9, 1.2, 0.9, 1.2, 1.1, 1.1, 1.1, 1.1, 1.1, 1.1);
        assertThat(gate.decide(ratios, false).verdict()).isEqualTo(Verdict.UNDECIDED);
        assertThat(gate.decide(ratios, true).verdict()).isEqualTo(Verdict.PASSED);
        assertThat(gate.decide(List.of(0.8, 1.2), true).verdict()).isEqualTo(Verdict.FAILED);
    }

    @Test
    void fewEqualPairsDoNotPass() {
        SequentialGate gate = new SequentialGate(FLOOR, SequentialGate.MAX_PAIRS);
        assertThat(gate.decide(Collections.nCopies(7, 1.0), true).verdict()).isEqualTo(Verdict.FAILED);
        assertThat(gate.decide(Collections.nCopies(8, 1.0), false).verdict()).isEqualTo(Verdict.PASSED);
    }

    @Test
    void singlePairIsRejected() {
        assertThatIllegalArgumentException().isThrownBy(() -> new SequentialGate(FLOOR, 1)).withMessageContaining("at least 2");
    }
}

package io.kcp.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ScenarioResultTest {

    private final ScenarioResult result = new ScenarioResult(Scenarios.all().stream()
        .filter(scenario -> scenario.name().equals("one-way")).findFirst().orElseThrow());

    @Test
    void medianIsTheMiddleValue() {
        assertThat(Statistics.median(5)).isEqualTo(5);
        assertThat(Statistics.median(9, 1, 5)).isEqualTo(5);
        assertThat(Statistics.median(4, 1, 2, 100)).isEqualTo(3);
    }

    @Test
    void ratioComparesMediansWithTheBestOfTheOthers() {
        for (double speed : new double[] {100, 300, 200}) {
            result.add("ours", 1, Map.of(Metric.MB_S, speed, Metric.CPU_MS_MB, 600 / speed));
        }
        result.add("kcp-go", 1, Map.of(Metric.MB_S, 50.0, Metric.CPU_MS_MB, 12.0));
        result.add("kcp-netty", 1, Map.of(Metric.MB_S, 10.0, Metric.CPU_MS_MB, 30.0));
        result.add("java-kcp", 1, Map.of(Metric.MB_S, 20.0, Metric.CPU_MS_MB, 15.0));
        List<Target.Outcome> outcomes = result.outcomes();
        assertOutcome(outcomes.get(0), "kcp-go", 4, true);
        assertOutcome(outcomes.get(1), "java-kcp", 10, true);
        assertOutcome(outcomes.get(2), "kcp-go", 0.25, true);
        assertOutcome(outcomes.get(3), "java-kcp", 0.2, true);
    }

    private static void assertOutcome(Target.Outcome outcome, String best, double value, boolean reached) {
        assertThat(outcome.best()).isEqualTo(best);
        assertThat(outcome.value()).isCloseTo(value, within(1e-9));
        assertThat(outcome.reached()).isEqualTo(reached);
    }

    @Test
    void targetReportsTheRatioOfEachRound() {
        double[] speeds = {300, 100, 200};
        for (int round = 1; round <= speeds.length; round++) {
            result.add("ours", round, Map.of(Metric.MB_S, speeds[round - 1], Metric.CPU_MS_MB, 1.0));
            if (round != 2) {
                result.add("kcp-go", round, Map.of(Metric.MB_S, 50.0, Metric.CPU_MS_MB, 1.0));
            }
        }
        Target.Outcome outcome = result.outcomes().get(0);
        assertThat(outcome.rounds()).as("without the round in which kcp-go failed").containsExactly(6.0, 4.0);
        assertThat(outcome.measured()).isEqualTo("4.00 (4.00–6.00)× kcp-go");
    }

    @Test
    void alternativeTargetDecidesIfTheFirstIsMissed() {
        Target target = Target.atMost(0.4, Metric.CPU_US_MESSAGE, "kcp-go").or(Target.atMost(1.5, Metric.CPU_US_MESSAGE, "udp"));
        assertThat(target.text()).isEqualTo("≤ 0.4× kcp-go or ≤ 1.5× udp");
        assertOutcome(target.evaluate(cpu(10, 25, 4)), "kcp-go", 0.4, true);
        assertOutcome(target.evaluate(cpu(10, 20, 8)), "udp", 1.25, true);
        assertOutcome(target.evaluate(cpu(10, 20, 4)), "kcp-go", 0.5, false);
    }

    private static Map<String, Map<Metric, Double>> cpu(double ours, double kcpGo, double udp) {
        return Map.of("ours", Map.of(Metric.CPU_US_MESSAGE, ours), "kcp-go", Map.of(Metric.CPU_US_MESSAGE, kcpGo),
            "udp", Map.of(Metric.CPU_US_MESSAGE, udp));
    }

    @Test
    void missedTargetIsNotReached() {
        result.add("ours", 1, Map.of(Metric.MB_S, 199.0, Metric.CPU_MS_MB, 3.7));
        result.add("kcp-go", 1, Map.of(Metric.MB_S, 50.0, Metric.CPU_MS_MB, 12.0));
        assertThat(result.outcomes().get(0).reached()).isFalse();
        assertThat(result.outcomes().get(2).reached()).isFalse();
    }

    @Test
    void missingMedianLeavesTargetUnknown() {
        result.add("ours", 1, Map.of(Metric.MB_S, 200.0));
        result.addFailure("kcp-go", "no ready");
        assertThat(result.outcomes()).extracting(Target.Outcome::value).containsOnlyNulls();
        assertThat(result.hasOnlyFailed("kcp-go")).isTrue();
        assertThat(result.hasOnlyFailed("ours")).isFalse();
        assertThat(Json.MAPPER.writeValueAsString(result.toFile())).contains("\"reached\":null", "no ready");
        assertThat(ResultText.of(result)).contains("200", "failed: kcp-go: no ready").doesNotContain("target");
    }

    @Test
    void medianIgnoresRunsWithoutTheMetric() {
        result.add("ours", 1, Map.of(Metric.MB_S, 1.0));
        result.add("ours", 1, Map.of(Metric.MB_S, 3.0, Metric.SPURIOUS, 7.0));
        assertThat(result.medians()).isEqualTo(Map.of("ours", Map.of(Metric.MB_S, 2.0, Metric.SPURIOUS, 7.0)));
    }

    @Test
    void unknownDelayCountsAsLongest() {
        result.add("ours", 1, Map.of(Metric.P50_US, 1.0, Metric.P99_US, 4.0));
        result.add("ours", 1, Map.of(Metric.P50_US, 2.0, Metric.P99_US, 5.0));
        result.add("ours", 1, Map.of(Metric.P50_US, 3.0));
        assertThat(result.medians()).isEqualTo(Map.of("ours", Map.of(Metric.P50_US, 2.0, Metric.P99_US, 5.0)));
        result.add("ours", 1, Map.of(Metric.P50_US, 3.0));
        assertThat(result.medians().get("ours")).as("half of the runs lack it").doesNotContainKey(Metric.P99_US);
    }

    @Test
    void targetWithoutOthersBoundsTheValue() {
        Target target = Target.atMost(64, Metric.GARBAGE_BYTES_DATAGRAM);
        Target.Outcome outcome = target.evaluate(Map.of("ours", Map.of(Metric.GARBAGE_BYTES_DATAGRAM, 64.0)));
        assertThat(outcome.reached()).isTrue();
        assertThat(target.text()).isEqualTo("≤ 64");
        assertThat(Target.atLeast(1.3, Metric.MB_S, "kcp-go").text()).isEqualTo("≥ 1.3× kcp-go");
    }

    @Test
    void lostMessagesRemoveTheQuantilesTheyDetermine() {
        Map<Metric, Double> metrics = new HashMap<>(Map.of(Metric.LOST, 20.0, Metric.P50_US, 1.0, Metric.P90_US, 2.0, Metric.P99_US, 3.0,
            Metric.P999_US, 4.0, Metric.MAX_US, 5.0));
        ScenarioRun.removeUnknownQuantiles(metrics, 1_000);
        assertThat(metrics).containsOnlyKeys(Metric.LOST, Metric.P50_US, Metric.P90_US);
    }

    @Test
    void scenariosReferToExistingContendersAndMetrics() {
        Set<String> names = new HashSet<>();
        for (Scenario scenario : Scenarios.all()) {
            assertThat(names.add(scenario.name())).as(scenario.name()).isTrue();
            List<String> contenders = scenario.contenders().stream().map(Contender::name).toList();
            assertThat(contenders).doesNotHaveDuplicates();
            for (Target target : scenario.targets()) {
                assertThat(contenders).as(scenario.name()).contains(target.whose()).containsAll(target.against());
                assertThat(scenario.metrics()).as(scenario.name()).contains(target.metric());
            }
        }
    }

    @Test
    void valuesAreFormattedWithThreeDigits() {
        assertThat(Metric.format(1234.4)).isEqualTo("1,234");
        assertThat(Metric.format(12.345)).isEqualTo("12.3");
        assertThat(Metric.format(1.2345)).isEqualTo("1.23");
        assertThat(Metric.format(0.0054)).isEqualTo("0.005");
        assertThat(Metric.format(0)).isEqualTo("0.00");
        assertThat(Metric.format(Double.NaN)).isEqualTo("-");
        assertThat(Metric.format(-12.345)).isEqualTo("-12.3");
    }
}

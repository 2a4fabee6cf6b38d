package io.kcp.bench.experiment;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.bench.Statistics;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class ResultsTest {

    private static final String GROUP = "one-way";

    private final Results results = new Results();

    private Cell add(Contender contender, int round, Map<Metric, Double> metrics) {
        Cell known = results.cell(GROUP, contender.name());
        Cell cell = known != null ? known
            : Cell.of(contender, List.of(Metric.MB_S, Metric.CPU_MS_MB), any -> Map.of(), "scenario", GROUP);
        results.add(cell, new Results.Run(round, 0, metrics));
        return cell;
    }

    private Cell add(String peer, int round, Map<Metric, Double> metrics) {
        return add(Contender.of(peer), round, metrics);
    }

    @Test
    void medianIsTheMiddleValue() {
        assertThat(Statistics.median(5)).isEqualTo(5);
        assertThat(Statistics.median(9, 1, 5)).isEqualTo(5);
        assertThat(Statistics.median(4, 1, 2, 100)).isEqualTo(3);
    }

    @Test
    void medianIgnoresRunsWithoutTheMetric() {
        add("ours", 1, Map.of(Metric.MB_S, 1.0));
        Cell ours = add("ours", 2, Map.of(Metric.MB_S, 3.0, Metric.SPURIOUS, 7.0));
        assertThat(results.median(ours, Metric.MB_S)).isEqualTo(2);
        assertThat(results.median(ours, Metric.SPURIOUS)).isEqualTo(7);
        assertThat(results.median(ours, Metric.P99_US)).isNaN();
        assertThat(results.values(ours, Metric.P99_US)).isEmpty();
    }

    @Test
    void unknownDelayCountsAsLongest() {
        Cell ours = add("ours", 1, Map.of(Metric.P50_US, 1.0, Metric.P99_US, 4.0));
        add("ours", 2, Map.of(Metric.P50_US, 2.0, Metric.P99_US, 5.0));
        add("ours", 3, Map.of(Metric.P50_US, 3.0));
        assertThat(results.median(ours, Metric.P99_US)).isEqualTo(5);
        add("ours", 4, Map.of(Metric.P50_US, 3.0));
        assertThat(results.median(ours, Metric.P99_US)).as("half of the runs lack it").isNaN();
    }

    @Test
    void ratiosPairTheRunsOfARound() {
        Cell ours = add("ours", 1, Map.of(Metric.MB_S, 300.0, Metric.CPU_MS_MB, 1.0));
        add("ours", 2, Map.of(Metric.MB_S, 100.0, Metric.CPU_MS_MB, 1.0));
        add("ours", 3, Map.of(Metric.MB_S, 200.0, Metric.CPU_MS_MB, 2.0));
        add("kcp-go", 3, Map.of(Metric.MB_S, 50.0, Metric.CPU_MS_MB, 8.0));
        Cell kcpGo = add("kcp-go", 1, Map.of(Metric.MB_S, 100.0, Metric.CPU_MS_MB, 5.0));
        assertThat(results.ratios(ours, kcpGo, Metric.MB_S)).containsExactly(3.0, 4.0);
        assertThat(results.ratios(ours, kcpGo, Metric.CPU_MS_MB)).as("less is better").containsExactly(5.0, 4.0);
    }

    @Test
    void bestSettingsOfAPeerCount() {
        add("ours", 1, Map.of(Metric.MB_S, 300.0));
        add(Contender.of("kcp-netty", "window 1024"), 1, Map.of(Metric.MB_S, 50.0));
        Cell large = add(Contender.of("kcp-netty", "window 4096"), 1, Map.of(Metric.MB_S, 150.0));
        add("java-kcp", 1, Map.of(Metric.MB_S, 100.0));
        assertThat(results.best(GROUP, "kcp-netty", Metric.MB_S)).isEqualTo(large);
        assertThat(results.best(GROUP, "quic", Metric.MB_S)).isNull();
        Requirement requirement = Target.atLeast(4, Metric.MB_S, "kcp-netty", "java-kcp").evaluate(results, GROUP);
        assertThat(Objects.requireNonNull(requirement).reached()).isFalse();
        assertThat(requirement.text()).contains("2.00× kcp-netty window 4096, target ≥ 4× kcp-netty or java-kcp");
        assertThat(new Summary(results).text()).contains("kcp-netty window 4096 (best)").doesNotContain("window 1024 (best)");
    }

    @Test
    void settingsOfThisLibraryAreNotExchanged() {
        Cell plain = add("ours", 1, Map.of(Metric.MB_S, 100.0));
        add(Contender.ours("auto"), 1, Map.of(Metric.MB_S, 300.0));
        assertThat(results.best(GROUP, "ours", Metric.MB_S)).isEqualTo(plain);
    }

    @Test
    void targetReportsTheRangeOfTheRounds() {
        double[] speeds = {300, 100, 200};
        for (int round = 1; round <= speeds.length; round++) {
            add("ours", round, Map.of(Metric.MB_S, speeds[round - 1]));
            if (round != 2) {
                add("kcp-go", round, Map.of(Metric.MB_S, 50.0));
            }
        }
        Requirement reached = Objects.requireNonNull(Target.atLeast(4, Metric.MB_S, "kcp-go").evaluate(results, GROUP));
        assertThat(reached).isEqualTo(new Requirement("one-way, ours: MB/s 4.00 (4.00–6.00)× kcp-go, target ≥ 4× kcp-go", true));
    }

    @Test
    void alternativeTargetDecidesIfTheFirstIsMissed() {
        Target target = Target.atMost(0.4, Metric.CPU_MS_MB, "kcp-go").or(Target.atMost(1.5, Metric.CPU_MS_MB, "udp"));
        assertThat(target.text()).isEqualTo("≤ 0.4× kcp-go or ≤ 1.5× udp");
        add("ours", 1, Map.of(Metric.CPU_MS_MB, 10.0));
        add("kcp-go", 1, Map.of(Metric.CPU_MS_MB, 20.0));
        add("udp", 1, Map.of(Metric.CPU_MS_MB, 8.0));
        Requirement requirement = Objects.requireNonNull(target.evaluate(results, GROUP));
        assertThat(requirement.reached()).isTrue();
        assertThat(requirement.text()).contains("1.25× udp");
    }

    @Test
    void missingMedianLeavesTargetUnknown() {
        add("ours", 1, Map.of(Metric.MB_S, 200.0));
        assertThat(Target.atLeast(4, Metric.MB_S, "kcp-go").evaluate(results, GROUP)).isNull();
        assertThat(Target.atLeast(150, Metric.MB_S).evaluate(results, GROUP)).extracting(Requirement::reached).isEqualTo(true);
    }

    @Test
    void summaryWarnsOfDisturbedRuns() {
        Cell ours = add("ours", 1, Map.of(Metric.MB_S, 200.0));
        results.add(ours, new Results.Run(2, 30, Map.of(Metric.MB_S, 100.0)));
        assertThat(new Summary(results).text()).contains("in 1 of 2 runs").contains("150 (100–200)");
        assertThat(Summary.line(ours, Map.of(Metric.MB_S, 100.0), 0.5)).isEqualTo("100 MB/s, CPU taken by the host: 0.5 %");
        assertThat(Summary.line(ours, Map.of(Metric.MB_S, 100.0), Double.NaN)).isEqualTo("100 MB/s");
    }

    @Test
    void summaryComparesWithTheInterval() {
        for (int round = 1; round <= 3; round++) {
            add("ours", round, Map.of(Metric.MB_S, 200.0 + round));
            add("kcp-go", round, Map.of(Metric.MB_S, 100.0));
        }
        assertThat(new Summary(results).text()).containsPattern("kcp-go +3 +100 \\(100–100\\) +2\\.02 \\(2\\.00–2\\.04\\) times as good");
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
        assertThat(Requirement.format(Double.POSITIVE_INFINITY)).isEqualTo("never");
    }

    @Test
    void requirementOfARecoveryThatNeverHappenedIsMissed() {
        Cell ours = add("ours", 1, Map.of());
        Requirement missed = Requirement.atMost(ours, "recovery in s", Double.POSITIVE_INFINITY, 2);
        assertThat(missed).isEqualTo(new Requirement("one-way, ours: recovery in s never (at most 2)", false));
        assertThat(Requirement.atMost(ours, "lost", 0, 0).reached()).isTrue();
    }
}

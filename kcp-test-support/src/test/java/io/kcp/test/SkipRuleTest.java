package io.kcp.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class SkipRuleTest {

    private static final SkippedTest CASE = new SkippedTest("a.Tool#runs[2] KQUEUE", "KQUEUE does not work here");

    @Test
    void skippedTestsFailTheRunWithTheirReasons() throws Exception {
        ChildRun run = ChildRun.of(List.of("-Dkcp.skips=fail"), PlantedSkips.class);
        assertThat(run.output()).contains("1 succeeded", "4 tests were skipped that allowed-skips.txt does not list:\n",
            "io.kcp.test.PlantedSkips#assumptionFails: the planted tool is missing\n",
            "io.kcp.test.PlantedSkips#assumptionOfOneCaseFails[2] tool = \"missing\": missing\n",
            "io.kcp.test.PlantedSkips#isDisabled: ", "planted method",
            "io.kcp.test.PlantedSkips$DisabledClass: ", "planted class");
        assertThat(run.exitCode()).isEqualTo(1);
    }

    @Test
    void skippedTestsAreAcceptedWithoutTheProperty() throws Exception {
        ChildRun run = ChildRun.of(List.of(), PlantedSkips.class);
        assertThat(run.output()).endsWith("1 succeeded\n");
        assertThat(run.exitCode()).isZero();
    }

    @Test
    void ruleAppliesToItsTestReasonAndCondition() {
        assertThat(AllowedSkips.parse("# comment\n\na.*   |  KQUEUE *  | always").contains(CASE)).isTrue();
        assertThat(AllowedSkips.parse("a.Tool#runs* | *here | java>=17").contains(CASE)).isTrue();
        assertThat(AllowedSkips.parse("a.Tool#run | KQUEUE * | always").contains(CASE)).as("another test").isFalse();
        assertThat(AllowedSkips.parse("a.* | KQUEUE | always").contains(CASE)).as("another reason").isFalse();
        assertThat(AllowedSkips.parse("a.* | * | java<17").contains(CASE)).as("another version of Java").isFalse();
    }

    @Test
    void unknownConditionIsAnError() {
        assertThatThrownBy(() -> AllowedSkips.parse("a.* | * | sometimes")).hasMessageContaining("sometimes");
        assertThatThrownBy(() -> AllowedSkips.parse("a.* | *")).hasMessageContaining("TEST | REASON | CONDITION");
    }

    @Test
    void rulesOfTheBuildAreValid() {
        assertThat(AllowedSkips.load().contains(new SkippedTest("io.kcp.netty.ATest", "no browser is installed"))).isFalse();
    }
}

package io.kcp.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that a scenario judges each variant, and each seed once. */
class VariantResultsTest {

    private static final int SEEDS = Integer.getInteger("kcp.seeds", SeededRuns.DEFAULT_SEEDS);

    @TempDir
    private Path captures;

    @BeforeEach
    void allVariantsAreSelected() {
        Assumptions.assumeTrue(Variant.selected().size() == Variant.values().length);
        System.setProperty("kcp.captures", captures.toString());
    }

    @Test
    void limitIsCheckedInTheFirstOfSeveralVariants() {
        Scenario scenario = Scenario.named("Only the first variant is slow").only(Variant.PLAIN, Variant.FEC_AND_CIPHER);
        assertThatThrownBy(() -> scenario.forEachSeed(
            seed -> scenario.assertAtMost("ms", scenario.variant() == Variant.PLAIN ? 11 : 1, 10)))
            .hasMessageContaining("Only the first variant is slow: " + SEEDS + " of " + SEEDS + " runs failed")
            .hasMessageContaining("ms: 11 (expected: at most 10)");
    }

    @Test
    void allVariantsRunAlthoughOneFails() {
        List<Variant> run = new ArrayList<>();
        Scenario scenario = Scenario.named("The first two variants fail");
        assertThatThrownBy(() -> scenario.forEachSeed(seed -> {
            if (!run.contains(scenario.variant())) {
                run.add(scenario.variant());
            }
            scenario.assertAtLeast("share", scenario.variant().ordinal(), 2);
        })).satisfies(failure -> assertThat(failure.getSuppressed()).hasSize(1));
        assertThat(run).containsExactly(Variant.values());
    }

    @Test
    void shareIsJudgedForEachVariant() {
        Scenario rare = Scenario.named("One slow run").allowShareAbove("ms", 10, 0.02, 20);
        assertThatCode(() -> rare.forEachSeed(seed -> rare.record("ms", seed % SEEDS == 1 % SEEDS ? 11 : 10))).doesNotThrowAnyException();
        Scenario often = Scenario.named("Each run of one variant is slow").allowShareAbove("ms", 10, 0.02, 20);
        assertThatThrownBy(() -> often.forSomeSeeds(1, seed -> often.record("ms", often.variant() == Variant.PLAIN ? 11 : 10)))
            .hasMessageContaining("ms above 10 in " + SEEDS + " of " + SEEDS + " runs").hasMessageContaining("seeds [");
    }

    @Test
    void noRunMayBeWorseThanTheWorstValue() {
        Scenario scenario = Scenario.named("One run is much slower").allowShareAbove("ms", 10, 0.02, 20);
        assertThatThrownBy(() -> scenario.forEachSeed(seed -> scenario.record("ms", seed % SEEDS == 1 % SEEDS ? 21 : 10)))
            .hasMessageContaining("the worst of them 21 (expected: none worse than 20)");
    }

    @Test
    void missingMeasurementFails() {
        Scenario scenario = Scenario.named("No measurement").allowShareBelow("share", 0.5, 0.02, 0);
        assertThatThrownBy(() -> scenario.forEachSeed(seed -> scenario.record("ratio", 1)))
            .hasMessageContaining("no run recorded this measurement");
    }

    @Test
    void checkAfterEachVariantFailsTheScenario() {
        int[] runs = new int[1];
        List<Integer> judged = new ArrayList<>();
        Scenario scenario = Scenario.named("Check").only(Variant.PLAIN, Variant.FEC).afterEachVariant(() -> {
            judged.add(runs[0]);
            runs[0] = 0;
            assertThat(judged).as("judged").hasSize(1);
        });
        assertThatThrownBy(() -> scenario.forEachSeed(seed -> runs[0]++)).hasMessageContaining("judged");
        assertThat(judged).containsExactly(SEEDS, Math.max(1, SEEDS / 10));
    }

    @Test
    void checkDoesNotHideFailedRuns() {
        Scenario scenario = Scenario.named("Failed runs").only(Variant.PLAIN).afterEachVariant(() -> {
            throw new IllegalStateException("nothing was collected");
        });
        assertThatThrownBy(() -> scenario.forEachSeed(seed -> scenario.assertAtMost("ms", 11, 10)))
            .hasMessageContaining("ms: 11 (expected: at most 10)");
    }

    /** A failed run is repeated for its capture. */
    @Test
    void repeatedSeedCountsOnce() {
        VariantResults results = new VariantResults();
        for (long seed : new long[] {7, 8, 7}) {
            results.begin(seed);
            results.record("ms", seed == 7 ? 11 : 1);
            results.record("ms", 3);
        }
        assertThat(results.bySeed("ms")).containsOnlyKeys(7L, 8L);
        assertThat(results.bySeed("ms").get(7L).largest()).isEqualTo(11);
        assertThat(results.bySeed("ms").get(7L).least()).isEqualTo(3);
        assertThat(results.text()).isEqualTo("ms 1..11");
    }
}

package io.kcp.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests the list of known misses, and how a known miss is judged. */
class KnownMissesTest {

    private static final KnownMiss MISS = new KnownMiss("SlowTest#test", "Slow", Set.of(Variant.PLAIN), "ms", 10, 0.1, 20, "34");
    private static final int RUNS = 1_000;

    private static ShareLimit limit() {
        return new ShareLimit("ms", 10, true, MISS);
    }

    private static VariantResults results(int misses, double worst) {
        VariantResults results = new VariantResults();
        for (int seed = 1; seed <= RUNS; seed++) {
            results.begin(seed);
            results.record("ms", seed <= misses ? worst : 10);
        }
        return results;
    }

    @ParameterizedTest
    @CsvSource({"100, true", "130, true", "135, false", "30, true", "25, false", "0, false"})
    void rateMustStayWithinItsBound(int misses, boolean accepted) {
        if (accepted) {
            assertThat(limit().judge("Slow", results(misses, 20))).isEqualTo("| Slow | ms ≤ 10 | " + misses + " of 1000 | 20 | 34 |");
        } else {
            assertThatThrownBy(() -> limit().judge("Slow", results(misses, 20)))
                .hasMessageContaining(misses > 100 ? "expected: at most" : "Lower the share in KnownMisses, or remove the entry");
        }
    }

    @Test
    void missMustNotBecomeLarger() {
        assertThatCode(() -> limit().judge("Slow", results(100, 20))).doesNotThrowAnyException();
        assertThatThrownBy(() -> limit().judge("Slow", results(100, 21)))
            .hasMessageContaining("the worst of them 21 (expected: none worse than 20)");
    }

    /** {@link KnownMissCheck} checks in each of these tests that the scenario and the measurement exist. */
    @Test
    void testsOfAllEntriesExist() {
        assertThat(KnownMisses.ALL).allSatisfy(miss -> {
            String[] names = miss.test().split("#");
            Class<?> test = Class.forName("io.kcp.testkit." + names[0]);
            assertThat(test.getDeclaredMethods()).as(miss.test()).anyMatch(method -> method.getName().equals(names[1]));
            assertThat(test.getDeclaredFields()).as("registered extension of " + names[0])
                .anyMatch(field -> field.getType() == KnownMissCheck.class);
        });
    }

    @Test
    void listBecomesOnlyShorter() {
        assertThat(KnownMisses.ALL).hasSize(KnownMisses.MAX_ENTRIES).doesNotHaveDuplicates();
        assertThat(KnownMisses.ALL).allSatisfy(miss -> {
            assertThat(miss.share()).isGreaterThan(0).isLessThanOrEqualTo(1);
            assertThat(miss.issue()).matches("[0-9]+");
            assertThat(Arrays.asList(Variant.values())).containsAll(miss.variants());
        });
    }
}

package io.kcp.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BinomialTailTest {

    /** The values are exact fractions, or were computed with integers of arbitrary size. */
    @ParameterizedTest
    @CsvSource({"0, 10, 0.5, 1", "1, 10, 0.5, 0.9990234375", "5, 10, 0.5, 0.623046875", "10, 10, 0.5, 0.0009765625",
        "11, 10, 0.5, 0", "1, 1, 0.02, 0.02", "2, 3, 0.1, 0.028", "1, 50, 0.02, 0.635830319912883", "4, 50, 0.02, 0.01775808069797167",
        "0, 5, 0, 1", "1, 5, 0, 0", "5, 5, 1, 1"})
    void tailHasKnownValues(long successes, long runs, double share, double expected) {
        assertThat(BinomialTail.atLeast(successes, runs, share)).isCloseTo(expected, within(1e-9));
    }

    @Test
    void manyRunsNeitherUnderflowNorLosePrecision() {
        assertThat(BinomialTail.atLeast(1, 100_000, 0.5)).isCloseTo(1, within(1e-6));
        assertThat(BinomialTail.atLeast(50_001, 100_001, 0.5)).isCloseTo(0.5, within(1e-6));
        assertThat(BinomialTail.atLeast(60_000, 100_000, 0.5)).isLessThan(1e-300);
    }

    @ParameterizedTest
    @CsvSource({"1, 0.02", "10, 0.02", "50, 0.02", "200, 0.13", "1000, 0.02", "1000, 0.5", "10000, 0.029"})
    void acceptedMissesFailATrueShareAtMostOnceInAThousand(long runs, double share) {
        long most = BinomialTail.mostMisses(runs, share);
        assertThat(BinomialTail.atLeast(most + 1, runs, share)).isLessThanOrEqualTo(BinomialTail.MAX_FALSE_ALARM);
        assertThat(most == 0 || BinomialTail.atLeast(most, runs, share) > BinomialTail.MAX_FALSE_ALARM).as("smallest such number").isTrue();
        long fewest = BinomialTail.fewestMisses(runs, share);
        assertThat(1 - BinomialTail.atLeast(fewest, runs, share)).isLessThanOrEqualTo(BinomialTail.MAX_FALSE_ALARM);
        assertThat(1 - BinomialTail.atLeast(fewest + 1, runs, share)).isGreaterThan(BinomialTail.MAX_FALSE_ALARM);
    }

    @Test
    void noMissIsAcceptedIfNoneIsExpected() {
        assertThat(BinomialTail.mostMisses(1_000, 0)).isZero();
        assertThat(BinomialTail.mostMisses(1_000, 1)).isEqualTo(1_000);
        assertThat(BinomialTail.fewestMisses(1_000, 0.02)).isPositive();
        assertThat(BinomialTail.fewestMisses(50, 0.02)).isZero();
    }
}

package io.kcp.bench.experiment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.junit.jupiter.api.Test;

class RatioIntervalTest {

    @Test
    void meanIsGeometric() {
        assertThat(RatioInterval.of(List.of(0.5, 2.0)).mean()).isCloseTo(1, within(1e-9));
    }

    @Test
    void intervalFollowsStudentsDistribution() {
        // The logarithms 0, 0.1 and 0.2 have the mean 0.1 and the standard deviation 0.1; t(2, 0.975) = 4.30265.
        RatioInterval interval = RatioInterval.of(List.of(1.0, Math.exp(0.1), Math.exp(0.2)));
        double half = 4.30265 * 0.1 / Math.sqrt(3);
        assertThat(interval.lower()).isCloseTo(Math.exp(0.1 - half), within(1e-4));
        assertThat(interval.upper()).isCloseTo(Math.exp(0.1 + half), within(1e-4));
    }

    @Test
    void singleRatioHasNoInterval() {
        assertThatIllegalArgumentException().isThrownBy(() -> RatioInterval.of(List.of(1.0)));
    }
}

package io.kcp.bench.experiment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class WarmUpSamplesTest {

    @Test
    void steadyThroughputIsReachedAtTheStartOfTheFirstFastSecond() {
        WarmUpSamples samples = new WarmUpSamples();
        double received = 0;
        for (int i = 0; i <= 200; i++) {
            double seconds = i / 10.0;
            received += seconds < 4 ? 50 : seconds < 6 ? 94 : 100;
            samples.add(new WarmUpSamples.Sample(seconds, received, 0, 0, 0));
        }
        assertThat(samples.steadyPerSecond()).isCloseTo(1_000, within(1.0));
        assertThat(samples.secondsUntilSteady()).as("a second with one sixth of the slower rate").isBetween(5.0, 6.0);
        assertThat(samples.at(3.05).seconds()).isEqualTo(3.1);
    }
}

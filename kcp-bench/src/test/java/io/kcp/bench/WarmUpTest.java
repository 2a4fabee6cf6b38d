package io.kcp.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

@Timeout(120)
class WarmUpTest {

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

    @Test
    void resultHasAllMeasuredValues(@TempDir Path directory) {
        WarmUp warmUp = new WarmUp();
        Path file = directory.resolve("warm-up.json");
        assertThat(new CommandLine(warmUp).execute("--scenarios", "small", "--seconds", "3", "--no-pin", "--out", file.toString()))
            .isZero();
        assertThat(warmUp.results()).hasSize(1);
        WarmUp.Result result = warmUp.results().get(0);
        assertThat(result.readySeconds()).isPositive();
        assertThat(result.cpuSeconds()).isPositive();
        assertThat(result.steadyPerSecond()).isPositive();
        assertThat(Json.MAPPER.readTree(file.toFile()).path("results").path(0).path("scenario").asString()).isEqualTo("small");
    }

    @Test
    void warmClientsSendTheLoadToAnotherServerFirst() {
        WarmUp warmUp = new WarmUp();
        assertThat(new CommandLine(warmUp).execute("--scenarios", "small", "--seconds", "3", "--no-pin", "--warm-clients")).isZero();
        assertThat(warmUp.results()).singleElement().satisfies(result -> assertThat(result.steadyPerSecond()).isPositive());
    }

    @Test
    void scenarioWithoutSteadyThroughputIsRejected() {
        assertThat(new CommandLine(new WarmUp()).execute("--scenarios", "ping-pong")).isEqualTo(2);
        assertThat(new CommandLine(new WarmUp()).execute("--scenarios", "idle")).isEqualTo(2);
    }

    @Test
    void unknownPeerIsRejected() {
        assertThat(new CommandLine(new WarmUp()).execute("--scenarios", "small", "--peers", "our")).isEqualTo(2);
    }
}

package io.kcp.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DeliveryTraceTest {

    private static DeliveryTrace trace(String... lines) {
        return DeliveryTrace.parse(List.of(lines));
    }

    @Test
    void eachLineDelivers1500Bytes() {
        DeliveryTrace.Position position = trace("2", "2", "5", "10").start();
        assertThat(position.departureUs(1_500, 0)).isEqualTo(2_000);
        assertThat(position.departureUs(1_500, 2_000)).isEqualTo(2_000);
        assertThat(position.departureUs(1_500, 2_000)).isEqualTo(5_000);
        assertThat(position.departureUs(1_500, 5_000)).isEqualTo(10_000);
    }

    @Test
    void traceRepeatsAfterItsLastTime() {
        DeliveryTrace.Position position = trace("2", "10").start();
        assertThat(position.departureUs(1_500, 0)).isEqualTo(2_000);
        assertThat(position.departureUs(1_500, 2_000)).isEqualTo(10_000);
        assertThat(position.departureUs(1_500, 10_000)).isEqualTo(12_000);
        assertThat(position.departureUs(1_500, 1_000_000_001L)).isEqualTo(1_000_002_000L);
        assertThat(position.departureUs(1_500, 1_000_002_001L)).isEqualTo(1_000_010_000L);
    }

    @Test
    void unusedOpportunitiesAreLost() {
        DeliveryTrace.Position position = trace("1", "2", "3", "4").start();
        assertThat(position.departureUs(1_500, 2_500)).isEqualTo(3_000);
        assertThat(position.departureUs(1_500, 4_000)).as("at the end of the trace").isEqualTo(4_000);
    }

    @Test
    void smallDatagramsShareAnOpportunityAndLargeOnesUseSeveral() {
        DeliveryTrace.Position position = trace("1", "2", "3", "4").start();
        assertThat(position.departureUs(700, 0)).isEqualTo(1_000);
        assertThat(position.departureUs(800, 1_000)).isEqualTo(1_000);
        assertThat(position.departureUs(2_000, 1_000)).isEqualTo(3_000);
        assertThat(position.departureUs(1_000, 3_000)).isEqualTo(3_000);
        assertThat(position.departureUs(1, 3_000)).isEqualTo(4_000);
    }

    @Test
    void rateAndDurationAreThoseOfTheFile(@TempDir Path folder) throws Exception {
        DeliveryTrace trace = DeliveryTrace.read(Files.writeString(folder.resolve("a.trace"), "0\n\n250\n500\n1000\n"));
        assertThat(trace.durationMs()).isEqualTo(1_000);
        assertThat(trace.meanBitsPerSecond()).isEqualTo(48_000);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "5 4     | line 2: 4 (expected: at least 5)",
        "1 x     | line 2: x (expected: a time in milliseconds)",
        "1 -3    | line 2: -3 (expected: a time in milliseconds)",
        "0 0     | lines: the last time is missing or 0 (expected: the duration in milliseconds)"})
    void malformedTraceIsRejected(String lines, String message) {
        assertThatThrownBy(() -> trace(lines.split(" "))).isInstanceOf(IllegalArgumentException.class).hasMessage(message);
    }

    @Test
    void linkDeliversTheBytesOfTheTrace() throws Exception {
        DeliveryTrace recorded = VariableLinkTest.cellular();
        Bottleneck link = new Bottleneck(1, 1).queueBytes(100_000).trace(recorded);
        long bytes = 0;
        long fromUs = recorded.durationMs() * 1_000;
        long toUs = 3 * fromUs;
        for (long us = 0; us < toUs; us += 250) {
            long departureUs = link.transmit(1_400, us);
            bytes += departureUs > fromUs && departureUs <= toUs ? 1_400 + Bottleneck.FRAMING_BYTES : 0;
        }
        double mean = recorded.meanBitsPerSecond();
        assertThat(bytes * 8 / ((toUs - fromUs) / 1e6)).isCloseTo(mean, within(0.002 * mean));
    }
}

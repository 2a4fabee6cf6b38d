package io.kcp.core.internal.congestion;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class AckAggregationTest {

    private static final long BYTES_PER_SECOND = 1_000_000;
    private static final long RTT_US = 50_000;

    private final AckAggregation aggregation = new AckAggregation();

    private void acknowledge(long bytes, long timeMs) {
        aggregation.onAcknowledged(bytes, timeMs * 1_000, BYTES_PER_SECOND, RTT_US);
    }

    @Test
    void burstsAboveTheBandwidthAdd() {
        acknowledge(5_000, 0);
        acknowledge(5_000, 1);
        acknowledge(5_000, 2);
        assertThat(aggregation.bytes()).as("15,000 bytes in 2 ms, of which 2,000 are expected").isEqualTo(13_000);
    }

    @Test
    void acknowledgementsAtTheBandwidthAreNoBurst() {
        for (int ms = 0; ms < 100; ms += 5) {
            acknowledge(5_000, ms);
        }
        assertThat(aggregation.bytes()).as("one datagram").isEqualTo(5_000);
    }

    @Test
    void measurementStartsAgainWhenTheBurstIsUsedUp() {
        acknowledge(10_000, 0);
        acknowledge(7_000, 10);
        assertThat(aggregation.bytes()).as("10,000 bytes were expected after 10 ms").isEqualTo(10_000);
        acknowledge(6_000, 12);
        assertThat(aggregation.bytes()).isEqualTo(7_000 + 6_000 - 2_000);
    }

    @Test
    void delaysAboveAHundredAndFiftyMillisecondsAreNotCovered() {
        acknowledge(500_000, 0);
        assertThat(aggregation.bytes()).isEqualTo(150_000);
    }

    @Test
    void delaysUpToOneRoundTripAreCoveredOnLongPaths() {
        aggregation.onAcknowledged(500_000, 0, BYTES_PER_SECOND, 200_000);
        assertThat(aggregation.bytes()).isEqualTo(200_000);
    }

    @Test
    void maximumIsForgottenAfterFiveToTenRounds() {
        acknowledge(20_000, 0);
        for (int round = 0; round < 9; round++) {
            aggregation.onRound();
            assertThat(aggregation.bytes()).isEqualTo(20_000);
        }
        aggregation.onRound();
        assertThat(aggregation.bytes()).isZero();
    }

    @Test
    void newBandwidthStartsANewMeasurement() {
        acknowledge(10_000, 0);
        aggregation.restart();
        acknowledge(4_000, 1);
        assertThat(aggregation.bytes()).as("not 13,000").isEqualTo(10_000);
        acknowledge(8_000, 1);
        assertThat(aggregation.bytes()).isEqualTo(12_000);
    }
}

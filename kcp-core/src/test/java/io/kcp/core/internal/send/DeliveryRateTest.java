package io.kcp.core.internal.send;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.SegmentHeader;
import io.kcp.core.internal.congestion.RateSample;
import io.kcp.core.internal.memory.Segment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DeliveryRateTest {

    private static final int SEGMENT_BYTES = 1_000;

    private final DeliveryRate rate = new DeliveryRate(0);
    private final RateSample sample = new RateSample();
    private long inFlight;
    private long order;

    private Segment send(long timeUs) {
        Segment segment = new Segment();
        segment.payloadBytes = SEGMENT_BYTES - SegmentHeader.LENGTH;
        transmit(segment, timeUs);
        return segment;
    }

    private void transmit(Segment segment, long timeUs) {
        segment.transmissions++;
        segment.order = ++order;
        inFlight += SEGMENT_BYTES;
        rate.onTransmitted(segment, inFlight, timeUs);
    }

    private void acknowledge(Segment segment, boolean latest, long timeUs) {
        inFlight -= SEGMENT_BYTES;
        rate.onDelivered(segment, latest, timeUs);
    }

    private double bytesPerSecond() {
        return sample.deliveredSinceBytes() * 1e6 / sample.intervalUs;
    }

    @ParameterizedTest
    @ValueSource(longs = {0, (1L << 31) - 50_000, (1L << 32) - 50_000})
    void measuresTheRateOfAcknowledgementsAtAnyClockValue(long startUs) {
        Segment[] segments = new Segment[100];
        for (int i = 0; i < 100; i++) {
            segments[i] = send(startUs + i * 500L);
        }
        for (int i = 0; i < 100; i++) {
            // The bottleneck delivers one segment per millisecond.
            long timeUs = startUs + 50_000 + i * 1_000L;
            acknowledge(segments[i], true, timeUs);
            rate.complete(sample, inFlight, timeUs);
        }
        assertThat(sample.valid).isTrue();
        assertThat(bytesPerSecond()).as("bytes per second").isBetween(650_000.0, 1_000_000.0);
        assertThat(sample.rttUs).isEqualTo(149_000 - 49_500);
    }

    @Test
    void oneUnaThatAcknowledgesTheWholeWindowDoesNotExceedTheSendingRate() {
        Segment[] segments = new Segment[50];
        for (int i = 0; i < 50; i++) {
            segments[i] = send(i * 1_000L);
        }
        for (Segment segment : segments) {
            acknowledge(segment, false, 100_000);
        }
        rate.complete(sample, inFlight, 100_000);
        assertThat(sample.valid).isTrue();
        assertThat(bytesPerSecond()).isLessThanOrEqualTo(1_100_000);
        assertThat(sample.rttUs).as("an una is no round-trip sample").isEqualTo(-1);
    }

    @Test
    void segmentsSentWithoutNeedForTheFullRateAreMarked() {
        Segment before = send(0);
        rate.onApplicationLimited(inFlight);
        Segment limited = send(1_000);
        rate.onApplicationLimited(inFlight);
        acknowledge(before, true, 50_000);
        rate.complete(sample, inFlight, 50_000);
        assertThat(sample.applicationLimited).isFalse();
        acknowledge(limited, true, 51_000);
        rate.complete(sample, inFlight, 51_000);
        assertThat(sample.applicationLimited).isTrue();
        Segment afterPause = send(60_000);
        Segment busy = send(61_000);
        acknowledge(afterPause, true, 110_000);
        rate.complete(sample, inFlight, 110_000);
        assertThat(sample.applicationLimited).as("the first segment after a pause").isTrue();
        acknowledge(busy, true, 111_000);
        rate.complete(sample, inFlight, 111_000);
        Segment later = send(112_000);
        acknowledge(later, true, 160_000);
        rate.complete(sample, inFlight, 160_000);
        assertThat(sample.applicationLimited).as("a segment of a busy period").isFalse();
    }

    @Test
    void unaForRetransmittedSegmentGivesNoSample() {
        Segment segment = send(0);
        rate.onLost(segment);
        inFlight -= SEGMENT_BYTES;
        transmit(segment, 80_000);
        acknowledge(segment, false, 81_000);
        rate.complete(sample, inFlight, 81_000);
        assertThat(sample.valid).as("the original may have arrived").isFalse();
        assertThat(sample.acknowledgedBytes).isEqualTo(SEGMENT_BYTES);
    }

    @Test
    void spuriousLossIsNotCounted() {
        Segment segment = send(0);
        rate.onLost(segment);
        rate.onSpuriousLoss(segment, 1);
        acknowledge(segment, true, 50_000);
        rate.complete(sample, inFlight, 50_000);
        assertThat(sample.lostBytes).isZero();
    }
}

package io.kcp.core.internal.send;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.SegmentHeader;
import io.kcp.core.internal.loss.RttEstimator;
import org.junit.jupiter.api.Test;

class WindowPaceTest {

    private static final int MSS_BYTES = 1_000;
    private static final int SEGMENT_BYTES = MSS_BYTES + SegmentHeader.LENGTH;

    private final WindowPace pace = new WindowPace();

    private static RttEstimator roundTrip(int ms) {
        RttEstimator rtt = new RttEstimator();
        rtt.onRoundTrip(ms);
        rtt.onSample(ms);
        return rtt;
    }

    @Test
    void nothingIsPacedBeforeTheFirstRoundTrip() {
        pace.update(1_024, MSS_BYTES, new RttEstimator());
        assertThat(pace.bytesPerSecond()).isZero();
    }

    @Test
    void rateIsAQuarterMoreThanOneWindowPerRoundTrip() {
        pace.update(1_000, MSS_BYTES, roundTrip(50));
        assertThat(pace.bytesPerSecond()).isEqualTo(1_000L * SEGMENT_BYTES * 20 * 5 / 4);
    }

    @Test
    void pathsBelowFiveMillisecondsAreNotPaced() {
        pace.update(1_000, MSS_BYTES, roundTrip(4));
        assertThat(pace.bytesPerSecond()).isZero();
        pace.update(1_000, MSS_BYTES, roundTrip(5));
        assertThat(pace.bytesPerSecond()).isEqualTo(1_000L * SEGMENT_BYTES * 200 * 5 / 4);
    }

    @Test
    void rateFollowsWindowSegmentSizeAndRoundTrip() {
        RttEstimator rtt = roundTrip(100);
        pace.update(1_000, MSS_BYTES, rtt);
        long rate = pace.bytesPerSecond();
        pace.update(2_000, MSS_BYTES, rtt);
        assertThat(pace.bytesPerSecond()).isEqualTo(2 * rate);
        pace.update(2_000, MSS_BYTES / 2 - SegmentHeader.LENGTH / 2, rtt);
        assertThat(pace.bytesPerSecond()).isEqualTo(rate);
        pace.update(2_000, MSS_BYTES / 2 - SegmentHeader.LENGTH / 2, roundTrip(50));
        assertThat(pace.bytesPerSecond()).isEqualTo(2 * rate);
        pace.update(0, MSS_BYTES, roundTrip(1_000));
        assertThat(pace.bytesPerSecond()).as("at least one segment per round trip").isEqualTo(SEGMENT_BYTES * 5L / 4);
    }

    @Test
    void rateIsLimited() {
        pace.update(65_535, 60_000, roundTrip(5));
        assertThat(pace.bytesPerSecond()).isEqualTo(4_000_000_000L);
    }

    @Test
    void burstIsTheDefaultWindowOrTheDataOfEightMilliseconds() {
        pace.update(1_000, MSS_BYTES, roundTrip(1_000));
        assertThat(pace.burstBytes()).isEqualTo(128L * SEGMENT_BYTES);
        pace.update(65_535, MSS_BYTES, roundTrip(50));
        assertThat(pace.burstBytes()).isEqualTo(pace.bytesPerSecond() * 8 / 1_000).isGreaterThan(128L * SEGMENT_BYTES);
    }
}

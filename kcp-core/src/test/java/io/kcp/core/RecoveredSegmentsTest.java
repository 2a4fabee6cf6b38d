package io.kcp.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.congestion.NoCongestionControl;
import org.junit.jupiter.api.Test;

class RecoveredSegmentsTest {

    private static final int WAIT_MS = 50;

    private final RecoveredSegments recovered = new RecoveredSegments(NoCongestionControl.INSTANCE);

    private void add(int sn, int timeMs) {
        Segment segment = new Segment();
        segment.sn = sn;
        segment.sentAtMs = timeMs - WAIT_MS;
        segment.order = sn + 1;
        segment.payloadBytes = 100;
        recovered.add(segment, segment.sentAtMs, timeMs);
    }

    @Test
    void segmentsAcknowledgedOnceAreLost() {
        add(7, 100);
        add(8, 120);
        assertThat(recovered.takeLost(150, WAIT_MS)).isZero();
        assertThat(recovered.takeLost(151, WAIT_MS)).isEqualTo(1);
        assertThat(recovered.takenBytes()).isEqualTo(100 + SegmentHeader.LENGTH);
        assertThat(recovered.newestLostOrder()).isEqualTo(8);
        assertThat(recovered.takeLost(171, WAIT_MS)).isEqualTo(1);
        assertThat(recovered.takeLost(300, WAIT_MS)).isZero();
    }

    @Test
    void onlyTheTimestampOfTheLateTransmissionCounts() {
        add(7, 100);
        recovered.onRepeatedAck(7, 60);
        recovered.onRepeatedAck(8, 50);
        assertThat(recovered.takeLost(200, WAIT_MS)).isEqualTo(1);
        assertThat(recovered.explainsDelay()).isTrue();
    }

    @Test
    void segmentAcknowledgedTwiceIsLate() {
        add(7, 100);
        recovered.onRepeatedAck(7, 50);
        assertThat(recovered.explainsDelay()).isFalse();
        assertThat(recovered.takeLost(200, WAIT_MS)).isZero();
    }

    @Test
    void lossesCountAgainWhenThePathNoLongerReorders() {
        add(7, 100);
        recovered.onRepeatedAck(7, 50);
        int lost = 0;
        for (int sn = 8; sn < 58; sn++) {
            add(sn, 100 * sn);
            lost += recovered.takeLost(100 * sn + WAIT_MS + 1, WAIT_MS);
        }
        assertThat(lost).as("of 50").isBetween(45, 48);
    }

    @Test
    void oldestSegmentCountsAsLostIfTooManyWait() {
        for (int sn = 0; sn <= RecoveredSegments.CAPACITY; sn++) {
            add(sn, 100);
        }
        assertThat(recovered.takeLost(100, WAIT_MS)).isEqualTo(1);
        recovered.clear(NoCongestionControl.INSTANCE);
        assertThat(recovered.takeLost(1_000, WAIT_MS)).isZero();
    }
}

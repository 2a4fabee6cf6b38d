package io.kcp.core.internal.loss;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.SegmentHeader;
import io.kcp.core.internal.congestion.AckReport;
import io.kcp.core.internal.congestion.CongestionControl;
import io.kcp.core.internal.congestion.LossReport;
import io.kcp.core.internal.congestion.NoCongestionControl;
import io.kcp.core.internal.memory.Segment;
import java.util.ArrayList;
import java.util.List;
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
        assertThat(recovered.isReordering()).isFalse();
    }

    @Test
    void segmentAcknowledgedTwiceIsLate() {
        add(7, 100);
        recovered.onRepeatedAck(7, 50);
        assertThat(recovered.isReordering()).isTrue();
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

    /** At 1 Gbit/s, thousands of segments are recovered within one round trip. */
    @Test
    void allLateSegmentsOfAWindowAreRecognized() {
        for (int sn = 0; sn < RecoveredSegments.MAX_CAPACITY; sn++) {
            add(sn, 100);
        }
        for (int sn = 0; sn < RecoveredSegments.MAX_CAPACITY; sn++) {
            assertThat(recovered.onRepeatedAck(sn, 50)).isTrue();
            assertThat(recovered.onRepeatedAck(sn, 50)).as("repeated").isFalse();
        }
        assertThat(recovered.takeLost(1_000, WAIT_MS)).isZero();
    }

    @Test
    void fewDistantSegmentsAreAllRemembered() {
        add(5, 100);
        add(5 + 1_024, 100);
        add(5 + 16, 100);
        add(5 + RecoveredSegments.MAX_CAPACITY / 2, 101);
        assertThat(recovered.onRepeatedAck(5 + 1_024, 50)).isTrue();
        assertThat(recovered.onRepeatedAck(5, 50)).isTrue();
        assertThat(recovered.onRepeatedAck(5 + RecoveredSegments.MAX_CAPACITY / 2, 51)).isTrue();
        assertThat(recovered.onRepeatedAck(5 + 16, 50)).isTrue();
    }

    @Test
    void oldestSegmentCountsAsLostIfTooManyWait() {
        for (int sn = 0; sn <= RecoveredSegments.MAX_CAPACITY; sn++) {
            add(sn, 100);
        }
        assertThat(recovered.takeLost(100, WAIT_MS)).isEqualTo(1);
        assertThat(recovered.onRepeatedAck(0, 50)).isFalse();
        assertThat(recovered.onRepeatedAck(RecoveredSegments.MAX_CAPACITY, 50)).isTrue();
        recovered.clear(NoCongestionControl.INSTANCE);
        assertThat(recovered.takeLost(1_000, WAIT_MS)).isZero();
    }

    @Test
    void memoryOfABurstIsFreed() {
        for (int sn = 0; sn < 1_000; sn++) {
            add(sn, 100);
        }
        assertThat(recovered.arrayBytes()).isGreaterThan(10_000);
        recovered.trim();
        assertThat(recovered.takeLost(200, WAIT_MS)).isEqualTo(1_000);
        recovered.trim();
        assertThat(recovered.arrayBytes()).isZero();
    }

    /** An idle conversation receives no acknowledgement that would trigger the decision. */
    @Test
    void waitingSegmentsOfAnIdleConversationAreDecided() {
        for (int sn = 0; sn < 1_000; sn++) {
            add(sn, 100);
        }
        recovered.decideIfLarge();
        recovered.trim();
        assertThat(recovered.arrayBytes()).isZero();
        assertThat(recovered.onRepeatedAck(998, 50)).isFalse();
        add(1_000, 200);
        assertThat(recovered.takeLost(200, WAIT_MS)).isEqualTo(1_000);
    }

    // ---- segments that were considered lost before they were acknowledged

    private static final class Verdicts implements CongestionControl {

        private final List<Boolean> spurious = new ArrayList<>();

        @Override
        public void onAcknowledged(AckReport report) {
        }

        @Override
        public void onLost(LossReport report) {
        }

        @Override
        public void onLossResolved(int event, boolean wasSpurious) {
            spurious.add(wasSpurious);
        }
    }

    /** Until the path is known to reorder datagrams, parity explains that a segment is acknowledged after it was considered lost. */
    @Test
    void lossesAreRealUnlessThePathReorders() {
        Verdicts verdicts = new Verdicts();
        recovered.clear(verdicts);
        addLost(7, 100);
        assertThat(recovered.takeLost(151, WAIT_MS)).as("reported before").isZero();
        assertThat(verdicts.spurious).containsExactly(false);
        addLost(8, 200);
        recovered.onRepeatedAck(8, 150);
        assertThat(verdicts.spurious).as("acknowledged twice").containsExactly(false, true);
        addLost(9, 300);
        recovered.takeLost(351, WAIT_MS);
        assertThat(verdicts.spurious).as("the path reorders").containsExactly(false, true, true);
    }

    private void addLost(int sn, int timeMs) {
        Segment segment = new Segment();
        segment.sn = sn;
        segment.lossEvent = 1;
        recovered.add(segment, timeMs - WAIT_MS, timeMs);
    }
}

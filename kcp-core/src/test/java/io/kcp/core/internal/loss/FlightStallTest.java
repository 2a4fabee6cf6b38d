package io.kcp.core.internal.loss;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.internal.memory.Segment;
import org.junit.jupiter.api.Test;

class FlightStallTest {

    private static final long NEXT_ORDER = 100;

    private final FlightStall stall = new FlightStall();

    private static Segment segment(long order, int sentAtMs) {
        Segment segment = new Segment();
        segment.order = order;
        segment.sentAtMs = sentAtMs;
        return segment;
    }

    @Test
    void largeFlightIsProbedWithFewSegments() {
        stall.begin(NEXT_ORDER);
        assertThat(stall.isActive()).isTrue();
        assertThat(stall.nextRound(129)).isEqualTo(2);
        assertThat(stall.nextRound(129)).isEqualTo(2);
        assertThat(stall.nextRound(129)).isEqualTo(16);
        stall.begin(NEXT_ORDER);
        assertThat(stall.nextRound(129)).as("the next stall").isEqualTo(2);
        assertThat(stall.nextRound(FlightStall.SMALL_FLIGHT)).isEqualTo(TimeoutRounds.TIMEOUTS_PER_ROUND);
        stall.end();
        assertThat(stall.isActive()).isFalse();
    }

    @Test
    void unacknowledgedRoundPresumesTheFlightLost() {
        stall.begin(NEXT_ORDER);
        stall.onUnacknowledgedRound(NEXT_ORDER + 2, 50, 5_000);
        assertThat(stall.isPresumedLost(segment(NEXT_ORDER + 1, 0))).isTrue();
        assertThat(stall.isPresumedLost(segment(NEXT_ORDER + 2, 0))).isFalse();
        stall.onRemoved(NEXT_ORDER + 1, 100);
        stall.onRemoved(NEXT_ORDER + 2, 100);
        assertThat(stall.presumedLostSegments()).isEqualTo(49);
        assertThat(stall.presumedLostBytes()).isEqualTo(4_900);
    }

    @Test
    void acknowledgementOfAnEarlierSegmentUndoesTheStallOnce() {
        stall.begin(NEXT_ORDER);
        stall.onUnacknowledgedRound(NEXT_ORDER, 50, 5_000);
        stall.onArrived(NEXT_ORDER, 10);
        assertThat(stall.takeUndo()).as("a probe").isFalse();
        assertThat(stall.isDelayed(NEXT_ORDER - 1)).isFalse();
        stall.onArrived(NEXT_ORDER - 1, 20);
        assertThat(stall.presumedLostSegments()).isZero();
        assertThat(stall.presumedLostBytes()).isZero();
        assertThat(stall.isPresumedLost(segment(NEXT_ORDER - 1, 0))).isFalse();
        assertThat(stall.takeUndo()).isTrue();
        assertThat(stall.takeUndo()).isFalse();
    }

    @Test
    void timersOfDelayedSegmentsStartAgain() {
        stall.begin(NEXT_ORDER);
        stall.onArrived(NEXT_ORDER - 1, 500);
        assertThat(stall.takeUndo()).as("nothing was presumed lost").isFalse();
        assertThat(stall.isDelayed(segment(NEXT_ORDER - 1, 0))).isTrue();
        assertThat(stall.isDelayed(segment(NEXT_ORDER, 0))).isFalse();
        assertThat(stall.timerStartMs(segment(NEXT_ORDER - 1, 100))).isEqualTo(500);
        assertThat(stall.timerStartMs(segment(NEXT_ORDER - 1, 600))).isEqualTo(600);
        assertThat(stall.timerStartMs(segment(NEXT_ORDER, 100))).isEqualTo(100);
        stall.reset();
        assertThat(stall.isDelayed(NEXT_ORDER - 1)).isFalse();
        assertThat(stall.isActive()).isFalse();
    }
}

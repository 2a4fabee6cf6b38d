package io.kcp.tools.linkcheck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class ReceivedSegmentsTest {

    private final ReceivedSegments received = new ReceivedSegments();

    private void push(int sn, int ts) {
        received.onPush(sn, ts, false);
    }

    @Test
    void segmentsInOrderAreNeitherLostNorReordered() {
        for (int sn = Integer.MAX_VALUE - 5; sn != Integer.MIN_VALUE + 5; sn++) {
            push(sn, sn);
        }
        assertThat(received.segments()).isEqualTo(11);
        assertThat(received.lossShare()).isZero();
        assertThat(received.reorderedShare()).isZero();
        assertThat(received.meanLossRun()).isZero();
    }

    @Test
    void missingSegmentWithALaterTimestampWasLost() {
        push(0, 100);
        push(3, 130);
        push(1, 190);
        push(2, 190);
        push(2, 230);
        push(4, 240);
        assertThat(received.lossShare()).isCloseTo(2 / 5.0, within(1e-9));
        assertThat(received.meanLossRun()).isEqualTo(2);
        assertThat(received.reorderedShare()).isZero();
    }

    @Test
    void missingSegmentWithAnEarlierTimestampWasReordered() {
        push(0, 100);
        push(2, 120);
        push(1, 110);
        push(3, 130);
        assertThat(received.reorderedShare()).isEqualTo(0.25);
        assertThat(received.lossShare()).isZero();
    }

    @Test
    void recoveredSegmentWasLost() {
        push(0, 100);
        push(2, 120);
        received.onPush(1, 110, true);
        received.onPush(3, 130, true);
        push(4, 140);
        assertThat(received.lost()).isEqualTo(2);
        assertThat(received.meanLossRun()).as("segments 1 and 3").isEqualTo(1);
    }

    @Test
    void segmentThatHasNotArrivedYetIsNotCountedAsLost() {
        push(0, 100);
        push(2, 120);
        assertThat(received.lost()).isZero();
        assertThat(received.segments()).isEqualTo(3);
    }
}

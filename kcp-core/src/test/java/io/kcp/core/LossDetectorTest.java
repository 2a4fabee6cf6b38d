package io.kcp.core;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LossDetectorTest {

    private static final int ROUND_MS = 10_000;
    private static final int ROUNDS = 10;

    @Test
    void segmentThatBlocksUnaTimesOutInEveryRound() {
        RttEstimator rtt = new RttEstimator();
        LossDetector detector = new LossDetector(rtt);
        detector.reconfigure(KcpConfig.fast3().toBuilder().adaptiveReordering(false).build(), false);
        for (int i = 0; i < LossDetector.TIMEOUTS_PER_ROUND; i++) {
            Segment other = new Segment();
            other.timeouts = 2;
            detector.onTransmitted(other, 0);
        }
        // A fast retransmission has reset the timeouts of this segment.
        Segment blocking = new Segment();
        detector.onTransmitted(blocking, 0);
        for (int round = 1; round <= ROUNDS; round++) {
            SegmentList lost = new SegmentList();
            assertThat(detector.detect(lost, blocking, round * ROUND_MS, false)).isEqualTo(LossDetector.TIMEOUTS_PER_ROUND);
            assertThat(lost.first()).as("round %d", round).isSameAs(blocking);
            for (Segment segment = lost.pollFirst(); segment != null; segment = lost.pollFirst()) {
                detector.onTransmitted(segment, round * ROUND_MS);
            }
        }
    }

    /** A server that has not accepted the conversation needs the first segment, and acknowledges nothing until it arrives. */
    @Test
    void segmentThatBlocksUnaTimesOutRepeatedlyBeforeTheFirstAcknowledgement() {
        RttEstimator rtt = new RttEstimator();
        LossDetector detector = new LossDetector(rtt);
        detector.reconfigure(KcpConfig.fast3().toBuilder().adaptiveReordering(true).build(), false);
        Segment blocking = new Segment();
        detector.onTransmitted(blocking, 0);
        for (int i = 1; i < 30; i++) {
            detector.onTransmitted(new Segment(), i);
        }
        int transmissions = 0;
        for (int timeMs = 50; timeMs <= 2_000; timeMs += 50) {
            SegmentList lost = new SegmentList();
            detector.detect(lost, blocking, timeMs, false);
            for (Segment segment = lost.pollFirst(); segment != null; segment = lost.pollFirst()) {
                transmissions += segment == blocking ? 1 : 0;
                detector.onTransmitted(segment, timeMs);
            }
        }
        assertThat(transmissions).as("transmissions of the blocking segment in 2 s").isBetween(3, 10);
    }
}

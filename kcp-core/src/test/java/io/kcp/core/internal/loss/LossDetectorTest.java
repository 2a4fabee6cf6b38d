package io.kcp.core.internal.loss;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.KcpConfig;
import io.kcp.core.internal.memory.RetransmitReason;
import io.kcp.core.internal.memory.Segment;
import io.kcp.core.internal.memory.SegmentList;
import org.junit.jupiter.api.Test;

class LossDetectorTest {

    private static final int ROUND_MS = 10_000;
    private static final int ROUNDS = 10;

    @Test
    void segmentThatBlocksUnaTimesOutInEveryRound() {
        RttEstimator rtt = new RttEstimator();
        LossDetector detector = new LossDetector(rtt);
        detector.reconfigure(KcpConfig.fast3().toBuilder().adaptiveReordering(false).build());
        for (int i = 0; i < TimeoutRounds.TIMEOUTS_PER_ROUND; i++) {
            Segment other = new Segment();
            other.timeouts = 2;
            detector.onTransmitted(other, 0);
        }
        // A fast retransmission has reset the timeouts of this segment.
        Segment blocking = new Segment();
        detector.onTransmitted(blocking, 0);
        for (int round = 1; round <= ROUNDS; round++) {
            SegmentList lost = new SegmentList();
            assertThat(detector.detect(lost, blocking, round * ROUND_MS, false)).isEqualTo(TimeoutRounds.TIMEOUTS_PER_ROUND);
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
        detector.reconfigure(KcpConfig.fast3().toBuilder().adaptiveReordering(true).build());
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

    private static LossDetector detectorWithFlight(RttEstimator rtt, Segment[] flight) {
        LossDetector detector = new LossDetector(rtt);
        detector.reconfigure(KcpConfig.fast3());
        rtt.reconfigure(10, 30);
        rtt.onSample(100);
        for (int i = 0; i < flight.length; i++) {
            flight[i] = new Segment();
            detector.onTransmitted(flight[i], i * 100 / flight.length);
        }
        return detector;
    }

    /** Calls {@link LossDetector#detect} every millisecond, retransmits the lost segments, and returns their number. */
    private static int retransmit(LossDetector detector, Segment blocking, int fromMs, int toMs) {
        int sent = 0;
        for (int timeMs = fromMs; timeMs < toMs; timeMs++) {
            SegmentList lost = new SegmentList();
            sent += detector.detect(lost, blocking, timeMs, false);
            for (Segment segment = lost.pollFirst(); segment != null; segment = lost.pollFirst()) {
                detector.onTransmitted(segment, timeMs);
            }
        }
        return sent;
    }

    @Test
    void largeFlightIsProbedWithFewSegments() {
        RttEstimator rtt = new RttEstimator();
        Segment[] flight = new Segment[1_000];
        LossDetector detector = detectorWithFlight(rtt, flight);
        int rtoMs = rtt.rtoMs();
        assertThat(retransmit(detector, flight[0], 100, 2 * rtoMs)).as("first timeout").isEqualTo(2);
        assertThat(detector.pipeSegments()).isEqualTo(1_000);
        assertThat(retransmit(detector, flight[0], 2 * rtoMs, 3 * rtoMs)).as("second timeout").isLessThanOrEqualTo(4);
        assertThat(detector.pipeSegments()).as("segments sent since the path appears to be interrupted").isBetween(1, 4);
        assertThat(detector.takeInterruption()).isTrue();
        assertThat(retransmit(detector, flight[0], 3 * rtoMs, 10 * rtoMs)).as("later timeouts").isLessThanOrEqualTo(8 * 16);
    }

    @Test
    void acknowledgementOfADelayedSegmentRestartsTheTimers() {
        RttEstimator rtt = new RttEstimator();
        Segment[] flight = new Segment[1_000];
        LossDetector detector = detectorWithFlight(rtt, flight);
        retransmit(detector, flight[0], 100, 1_000);
        int retransmitted = 0;
        for (int i = 200; i < 1_000; i++) {
            detector.onAcknowledged(flight[i], flight[i].sentAtMs, 1_000);
            detector.remove(flight[i]);
            detector.onProgress(1, 1_000);
            SegmentList lost = new SegmentList();
            for (int before = detector.detect(lost, null, 1_000, false); before > 0; before--) {
                Segment segment = lost.pollFirst();
                retransmitted += segment != null && segment.retransmitReason == RetransmitReason.TIMEOUT ? 1 : 0;
            }
        }
        assertThat(retransmitted).as("spurious timeouts").isZero();
    }

    /** A copy is sent later than its segment, so its arrival does not show whether earlier transmissions were delayed or lost. */
    @Test
    void acknowledgementOfACopyDoesNotUndoAnInterruption() {
        RttEstimator rtt = new RttEstimator();
        Segment[] flight = new Segment[1_000];
        LossDetector detector = detectorWithFlight(rtt, flight);
        int timeMs = 3 * rtt.rtoMs();
        retransmit(detector, flight[0], 100, timeMs);
        flight[999].onCopied(timeMs - 10);
        detector.onAcknowledged(flight[999], timeMs - 10, timeMs);
        assertThat(detector.stall().takeUndo()).isFalse();
        assertThat(detector.pipeSegments()).isLessThan(10);
        detector.onAcknowledged(flight[998], flight[998].sentAtMs, timeMs);
        assertThat(detector.stall().takeUndo()).as("a delayed segment has arrived").isTrue();
    }
}

package io.kcp.core.internal.send;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.CongestionAlgorithm;
import io.kcp.core.KcpConfig;
import io.kcp.core.conversation.DrivenKcp;
import io.kcp.core.conversation.LeakCheck;
import io.kcp.core.conversation.WireSegment;
import io.kcp.core.internal.congestion.CubicCongestionControl;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tests which losses a conversation with CUBIC reports to its congestion control, and when. */
class CongestionFeedbackTest {

    private static final int ROUND_TRIP_MS = 50;

    @RegisterExtension
    final LeakCheck leaks = new LeakCheck();

    private DrivenKcp driven;
    private int nextSn;

    private void start(boolean parity) {
        KcpConfig config = KcpConfig.fast3().toBuilder().congestionControl(CongestionAlgorithm.CUBIC).windows(4_096).build();
        driven = new DrivenKcp(leaks, config);
        if (parity) {
            driven.output.parityFollows();
            driven.kcp.reconfigure(config);
        }
        driven.input(WireSegment.wins(4_096));
    }

    private double window() {
        return ((CubicCongestionControl) driven.congestion()).window();
    }

    /** Sends segments at the current time, which pacing permits after a pause, and returns the number of the first one. */
    private int send(int segments) {
        int first = nextSn;
        for (int sent = 0; sent < segments;) {
            driven.sendSmall(1);
            while (driven.flush().isEmpty()) {
                driven.advance(1);
            }
            sent++;
        }
        nextSn += segments;
        return first;
    }

    private void acknowledge(int sn, int sentAtMs, int una) {
        driven.input(WireSegment.ack(sn, sentAtMs, una).withWnd(4_096));
    }

    private void exchangeRounds(int rounds) {
        for (int round = 0; round < rounds; round++) {
            int sentAtMs = driven.nowMs();
            int first = send(5);
            driven.advance(ROUND_TRIP_MS);
            for (int sn = first; sn < nextSn; sn++) {
                driven.input(WireSegment.wins(4_096).withUna(sn + 1));
            }
            assertThat(driven.nowMs() - sentAtMs).isLessThan(1_000);
        }
    }

    /** Sends segments from {@code nextSn} on, acknowledges all but the first after a round trip, and returns the time of sending. */
    private int sendAndAcknowledgeAllButTheFirst(int segments) {
        driven.sendSmall(segments);
        driven.flush();
        int sentAtMs = driven.nowMs();
        driven.advance(ROUND_TRIP_MS);
        for (int sn = nextSn + 1; sn < nextSn + segments; sn++) {
            acknowledge(sn, sentAtMs, nextSn);
        }
        return sentAtMs;
    }

    /** Acknowledges a segment after five later ones, as a peer does that recovers the segment with parity. Returns its time of sending. */
    private int recoverOneSegment() {
        int sentAtMs = sendAndAcknowledgeAllButTheFirst(6);
        acknowledge(nextSn, sentAtMs, nextSn + 6);
        nextSn += 6;
        return sentAtMs;
    }

    @Test
    void segmentRecoveredByParityReducesTheWindow() {
        start(true);
        exchangeRounds(4);
        double before = window();
        recoverOneSegment();
        assertThat(window()).as("the segment may still arrive").isGreaterThanOrEqualTo(before);
        exchangeRounds(2);
        assertThat(window()).as("the segment was lost").isLessThan(before);
    }

    /** Parity recovers a late segment before it arrives. The peer acknowledges it again when it arrives. */
    @Test
    void lateSegmentThatParityRecoversDoesNotReduceTheWindow() {
        start(true);
        exchangeRounds(4);
        double before = window();
        int sentAtMs = recoverOneSegment();
        driven.advance(ROUND_TRIP_MS / 2);
        acknowledge(nextSn - 6, sentAtMs, nextSn);
        exchangeRounds(2);
        assertThat(window()).isGreaterThanOrEqualTo(before);
    }

    @Test
    void reductionsAreUndoneIfSegmentsAreLateDespiteParity() {
        start(true);
        exchangeRounds(4);
        int sentAtMs = recoverOneSegment();
        driven.advance(ROUND_TRIP_MS / 2);
        acknowledge(nextSn - 6, sentAtMs, nextSn);
        exchangeRounds(2);
        double before = window();
        sentAtMs = sendAndAcknowledgeAllButTheFirst(6);
        driven.advance(2 * ROUND_TRIP_MS);
        assertThat(driven.flush()).extracting(WireSegment::sn).containsExactly(nextSn);
        assertThat(window()).isLessThan(before);
        acknowledge(nextSn, sentAtMs, nextSn + 6);
        nextSn += 6;
        exchangeRounds(4);
        assertThat(window()).isGreaterThanOrEqualTo(before);
    }

    /** Parity follows ten data shards. A segment that only three others overtake has more likely been reordered. */
    @Test
    void slightlyLateSegmentDoesNotReduceTheWindow() {
        start(true);
        exchangeRounds(4);
        double before = window();
        int sentAtMs = sendAndAcknowledgeAllButTheFirst(4);
        acknowledge(nextSn, sentAtMs, nextSn + 4);
        assertThat(window()).isGreaterThanOrEqualTo(before);
    }

    @Test
    void lostAcknowledgementsDoNotReduceTheWindow() {
        start(true);
        exchangeRounds(4);
        double before = window();
        driven.sendSmall(8);
        driven.flush();
        int sentAtMs = driven.nowMs();
        driven.advance(ROUND_TRIP_MS);
        acknowledge(nextSn + 7, sentAtMs, nextSn + 8);
        assertThat(window()).isGreaterThanOrEqualTo(before);
    }

    /** An {@code una} that arrives sooner after a retransmission than any round trip acknowledges the first transmission. */
    @Test
    void unaSoonAfterARetransmissionUndoesTheReduction() {
        start(false);
        for (int round = 0; round < 4; round++) {
            int sentAtMs = driven.nowMs();
            int first = send(5);
            driven.advance(ROUND_TRIP_MS);
            for (int sn = first; sn < nextSn; sn++) {
                acknowledge(sn, sentAtMs, sn + 1);
            }
        }
        double before = window();
        sendAndAcknowledgeAllButTheFirst(6);
        assertThat(driven.flush()).extracting(WireSegment::sn).containsExactly(nextSn);
        assertThat(window()).isLessThan(before);
        driven.advance(ROUND_TRIP_MS * 4 / 5);
        driven.input(WireSegment.wins(4_096).withUna(nextSn + 6));
        assertThat(window()).isGreaterThanOrEqualTo(before);
    }

    @Test
    void reorderedSegmentWithoutParityDoesNotReduceTheWindow() {
        start(false);
        exchangeRounds(4);
        double before = window();
        int sentAtMs = sendAndAcknowledgeAllButTheFirst(6);
        acknowledge(nextSn, sentAtMs, nextSn + 6);
        assertThat(window()).isGreaterThanOrEqualTo(before);
    }

    @Test
    void windowIsReducedBeforeTheFlushThatDetectsTheLoss() {
        driven = new DrivenKcp(leaks, KcpConfig.fast3().toBuilder().congestionControl(CongestionAlgorithm.CUBIC).windows(4_096)
            .adaptiveReordering(false).build());
        driven.input(WireSegment.wins(4_096));
        driven.sendSmall(20);
        assertThat(driven.flush()).hasSize(10);
        driven.advance(ROUND_TRIP_MS);
        acknowledge(1, 0, 0);
        acknowledge(2, 0, 0);
        assertThat(driven.flush()).as("the retransmission fits the reduced window, new segments do not")
            .extracting(WireSegment::sn).containsExactly(0);
    }

    /** The first transmission of segment 0 was lost, so its second transmission, which was late, is only one spurious loss. */
    @Test
    void lossOfAnEarlierEpisodeDoesNotUndoALaterOne() {
        driven = new DrivenKcp(leaks, KcpConfig.fast3().toBuilder().congestionControl(CongestionAlgorithm.CUBIC).windows(4_096)
            .adaptiveReordering(false).build());
        driven.input(WireSegment.wins(4_096));
        driven.sendSmall(10);
        assertThat(driven.flush()).hasSize(10);
        driven.advance(ROUND_TRIP_MS);
        for (int sn = 1; sn < 10; sn++) {
            acknowledge(sn, 0, 0);
        }
        assertThat(driven.flush()).extracting(WireSegment::sn).containsExactly(0);
        driven.sendSmall(4);
        assertThat(driven.flush()).extracting(WireSegment::sn).containsExactly(10, 11, 12, 13);
        driven.advance(ROUND_TRIP_MS);
        double before = window();
        for (int sn = 11; sn < 14; sn++) {
            acknowledge(sn, ROUND_TRIP_MS, 0);
        }
        assertThat(driven.flush()).extracting(WireSegment::sn).contains(0, 10);
        double reduced = window();
        assertThat(reduced).isLessThan(before);
        acknowledge(0, ROUND_TRIP_MS, 10);
        assertThat(window()).as("segment 10 is still lost").isEqualTo(reduced);
    }
}

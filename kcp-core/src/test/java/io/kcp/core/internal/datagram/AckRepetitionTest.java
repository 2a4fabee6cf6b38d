package io.kcp.core.internal.datagram;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.kcp.core.KcpConfig;
import io.kcp.core.conversation.DrivenKcp;
import io.kcp.core.conversation.LeakCheck;
import io.kcp.core.conversation.WireSegment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AckRepetitionTest {

    private static final int INITIAL_RTO_MS = 200;
    private static final int TOKEN = 0x12345678;
    private static final byte[] DATA = {1};
    private static final int REPEATED = AckRepetition.REPEATED;

    @RegisterExtension
    final LeakCheck leaks = new LeakCheck();
    private final DrivenKcp driven = new DrivenKcp(leaks, KcpConfig.fast3());

    /** Sends a query for close notices. */
    private void query() {
        driven.announceCloseNotices(TOKEN);
        driven.input(control(WireSegment.WASK, 0, 0));
        assertThat(driven.flush()).extracting(WireSegment::ts).contains(TOKEN);
    }

    /** Receives the echo of the query, as only this library sends it. */
    private void recognizePeer() {
        query();
        driven.input(control(WireSegment.WINS, WireSegment.SUPPORT_SN, TOKEN));
    }

    private static WireSegment control(int cmd, int sn, int ts) {
        return new WireSegment(WireSegment.CONV, cmd, 0, 128, ts, sn, 0, new byte[0]);
    }

    private void push(int sn) {
        driven.advance(1);
        driven.input(WireSegment.push(sn, driven.nowMs(), DATA));
    }

    /** Segment 1 is lost, and the ACK of segment 2 seems to be lost, because the peer retransmits the segment. */
    private void loseAcknowledgement() {
        loseSegment();
        driven.advance(INITIAL_RTO_MS);
        push(2);
        driven.flush();
    }

    private void loseSegment() {
        push(0);
        push(2);
        driven.flush();
    }

    private void assertThatNothingIsRepeated() {
        driven.flush();
        push(3);
        assertThat(driven.flush()).extracting(WireSegment::sn).containsExactly(3);
    }

    @Test
    void acknowledgementsBeyondAGapAreRepeatedTwice() {
        recognizePeer();
        loseAcknowledgement();
        push(3);
        assertThat(driven.flush()).extracting(WireSegment::sn, WireSegment::frg).containsExactly(tuple(2, REPEATED), tuple(3, 0));
        push(4);
        assertThat(driven.flush()).extracting(WireSegment::sn, WireSegment::frg)
            .containsExactly(tuple(2, REPEATED), tuple(3, REPEATED), tuple(4, 0));
        push(5);
        assertThat(driven.flush()).extracting(WireSegment::sn, WireSegment::frg)
            .containsExactly(tuple(3, REPEATED), tuple(4, REPEATED), tuple(5, 0));
    }

    @Test
    void acknowledgementsBeforeAGapAreNotRepeated() {
        recognizePeer();
        loseAcknowledgement();
        push(3);
        driven.flush();
        push(1);
        assertThat(driven.flush()).extracting(WireSegment::sn, WireSegment::una).containsExactly(tuple(1, 4));
    }

    @Test
    void nothingIsRepeatedUntilThePeerRetransmitsAnAcknowledgedSegment() {
        recognizePeer();
        push(0);
        push(2);
        driven.flush();
        push(3);
        assertThat(driven.flush()).extracting(WireSegment::sn).containsExactly(3);
    }

    /** A copy is sent before the ACK can have reached the peer. */
    @ParameterizedTest
    @CsvSource({"0, false", "64, false", "72, false", "73, true"})
    void duplicateShowsALostAcknowledgementIfItWasSentAfterARoundTrip(int laterMs, boolean repeated) {
        recognizePeer();
        driven.sendSmall(1);
        int ts = driven.nowMs();
        driven.flush();
        driven.advance(64);
        driven.input(WireSegment.ack(0, ts, 1));
        loseSegment();
        driven.advance(laterMs - 1);
        push(2);
        push(3);
        driven.flush();
        push(4);
        assertThat(driven.flush()).filteredOn(segment -> segment.frg() == REPEATED).hasSize(repeated ? 1 : 0);
    }

    @Test
    void duplicateThatFecRecoveredDoesNotShowALostAcknowledgement() {
        recognizePeer();
        loseSegment();
        driven.advance(INITIAL_RTO_MS);
        driven.inputRecovered(WireSegment.push(2, driven.nowMs(), DATA));
        assertThatNothingIsRepeated();
    }

    /** Later segments have arrived before FEC recovers a segment, whose {@code ts} is therefore old. */
    @Test
    void retransmissionOfASegmentThatFecRecoveredLateDoesNotShowALostAcknowledgement() {
        recognizePeer();
        int ts = driven.nowMs();
        driven.advance(INITIAL_RTO_MS);
        push(0);
        push(4);
        driven.inputRecovered(WireSegment.push(2, ts, DATA));
        driven.flush();
        push(2);
        assertThatNothingIsRepeated();
    }

    @Test
    void livenessProbeDoesNotShowALostAcknowledgement() {
        recognizePeer();
        loseSegment();
        driven.advance(INITIAL_RTO_MS);
        driven.input(WireSegment.push(2, driven.nowMs(), new byte[0]));
        assertThatNothingIsRepeated();
    }

    /** The segment before the gap was lost too, and its retransmission arrives first. */
    @Test
    void duplicateMayArriveAfterTheGapIsFilled() {
        recognizePeer();
        loseSegment();
        driven.advance(INITIAL_RTO_MS);
        push(1);
        push(2);
        driven.flush();
        push(4);
        driven.flush();
        push(5);
        assertThat(driven.flush()).extracting(WireSegment::sn, WireSegment::frg).containsExactly(tuple(4, REPEATED), tuple(5, 0));
    }

    @Test
    void samplesAreFreedWhenTheConversationIsIdle() {
        AckRepetition history = new AckRepetition();
        history.onArrival(0, INITIAL_RTO_MS);
        history.onSent(2, 0, 1);
        assertThat(history.arrayBytes()).isEqualTo(512);
        history.trim();
        assertThat(history.arrayBytes()).isZero();
    }

    @Test
    void nothingIsRepeatedToOtherImplementations() {
        query();
        driven.input(control(WireSegment.WASK, WireSegment.SUPPORT_SN, 77), control(WireSegment.WINS, WireSegment.SUPPORT_SN, TOKEN + 1));
        driven.flush();
        loseAcknowledgement();
        push(3);
        assertThat(driven.flush()).extracting(WireSegment::sn).containsExactly(3);
    }

    @Test
    void repeatedAcknowledgementIsNoRoundTripSample() {
        driven.sendSmall(3);
        driven.flush();
        driven.advance(50);
        driven.input(WireSegment.ack(1, 0, 0));
        assertThat(driven.kcp.smoothedRttMs()).isEqualTo(50);
        driven.advance(90);
        driven.input(new WireSegment(WireSegment.CONV, WireSegment.ACK, REPEATED, 128, 0, 2, 0, new byte[0]));
        assertThat(driven.kcp.smoothedRttMs()).isEqualTo(50);
        assertThat(driven.kcp.waitingSegments()).isEqualTo(3);
        driven.flush();
        driven.advance(1_000);
        assertThat(driven.flush()).extracting(WireSegment::sn).as("the segment without an ACK").containsOnly(0);
    }
}

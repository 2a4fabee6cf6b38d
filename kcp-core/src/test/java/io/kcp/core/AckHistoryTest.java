package io.kcp.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class AckHistoryTest {

    private static final int TOKEN = 0x12345678;
    private static final byte[] DATA = {1};
    private static final int REPEATED = AckHistory.REPEATED;

    @RegisterExtension
    final LeakCheck leaks = new LeakCheck();
    private final DrivenKcp driven = new DrivenKcp(leaks, KcpConfig.fast3());

    /** Sends a query for close notices. */
    private void query() {
        driven.kcp.closeNotice().setEnabled(true);
        driven.kcp.closeNotice().setToken(TOKEN);
        driven.kcp.closeNotice().onPeerVerified();
        driven.input(control(WireSegment.WASK, 0, 0));
        assertThat(driven.flush()).extracting(WireSegment::ts).contains(TOKEN);
    }

    /** Receives the echo of the query, as only this library sends it. */
    private void recognizePeer() {
        query();
        driven.input(control(WireSegment.WINS, CloseNotice.SUPPORT_SN, TOKEN));
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
        push(0);
        push(2);
        driven.flush();
        push(2);
        driven.flush();
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

    @Test
    void nothingIsRepeatedToOtherImplementations() {
        query();
        driven.input(control(WireSegment.WASK, CloseNotice.SUPPORT_SN, 77), control(WireSegment.WINS, CloseNotice.SUPPORT_SN, TOKEN + 1));
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

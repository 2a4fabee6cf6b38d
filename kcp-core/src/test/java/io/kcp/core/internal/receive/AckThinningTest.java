package io.kcp.core.internal.receive;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.CongestionAlgorithm;
import io.kcp.core.KcpConfig;
import io.kcp.core.conversation.DrivenKcp;
import io.kcp.core.conversation.DrivenPair;
import io.kcp.core.conversation.LeakCheck;
import io.kcp.core.conversation.WireSegment;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class AckThinningTest {

    private static final int ROUND_TRIP_MS = 64;
    private static final int DELAY_MS = 4;
    private static final int TOKEN = 0x12345678;
    private static final byte[] DATA = {1};

    @RegisterExtension
    final LeakCheck leaks = new LeakCheck();
    private final DrivenKcp driven = new DrivenKcp(leaks, KcpConfig.fast3());
    private int nextSn;

    /** Lets the conversation measure its round trip. A peer that is of this library echoes the query. */
    private void measure(int roundTripMs, boolean ours) {
        driven.kcp.closeNotice().setEnabled(true);
        driven.kcp.closeNotice().setToken(TOKEN);
        driven.sendSmall(1);
        driven.flush();
        driven.advance(roundTripMs);
        driven.input(WireSegment.ack(0, 0, 1), control(WireSegment.WASK, 0, 0));
        assertThat(driven.flush()).extracting(WireSegment::ts).as("the query").contains(TOKEN);
        if (ours) {
            driven.input(control(WireSegment.WINS, WireSegment.SUPPORT_SN, TOKEN));
        }
        driven.advance(1_000);
    }

    private static WireSegment control(int cmd, int sn, int ts) {
        return new WireSegment(WireSegment.CONV, cmd, 0, 128, ts, sn, 1, new byte[0]);
    }

    /** Returns how many milliseconds later the acknowledgement of a segment is due. */
    private int push(int sn) {
        driven.input(WireSegment.push(sn, driven.nowMs(), DATA));
        return driven.kcp.nextDeadline(driven.nowMs());
    }

    private int pushNext() {
        return push(nextSn++);
    }

    /** Receives segments that are acknowledged at once, so that the next one need not be. */
    private void begin() {
        for (int i = 0; i < 3; i++) {
            assertThat(pushNext()).as("no segment preceded").isZero();
            driven.flush();
        }
    }

    @Test
    void segmentsOfABulkTransferAreAcknowledgedTogether() {
        measure(ROUND_TRIP_MS, true);
        begin();
        assertThat(pushNext()).isEqualTo(DELAY_MS);
        driven.advance(1);
        assertThat(pushNext()).isEqualTo(DELAY_MS - 1);
        driven.advance(2);
        int newestTs = driven.nowMs();
        assertThat(pushNext()).isEqualTo(1);
        driven.advance(1);
        assertThat(driven.kcp.nextDeadline(driven.nowMs())).isZero();
        List<WireSegment> segments = driven.flush();
        assertThat(segments).extracting(WireSegment::una).as("one segment acknowledges all").containsExactly(6);
        assertThat(segments).extracting(WireSegment::ts).as("the round trip of the newest").containsExactly(newestTs);
    }

    @Test
    void eighthSegmentIsNotDelayed() {
        measure(ROUND_TRIP_MS, true);
        begin();
        assertThat(IntStream.range(0, 8).map(i -> pushNext()).boxed())
            .containsExactly(DELAY_MS, DELAY_MS, DELAY_MS, DELAY_MS, DELAY_MS, DELAY_MS, DELAY_MS, 0);
    }

    @Test
    void segmentsOfASlowTransferAreNotDelayed() {
        measure(ROUND_TRIP_MS, true);
        begin();
        for (int i = 0; i < 10; i++) {
            driven.advance(DELAY_MS);
            assertThat(pushNext()).isZero();
            driven.flush();
        }
    }

    @Test
    void lossIsReportedAtOnce() {
        measure(ROUND_TRIP_MS, true);
        begin();
        int lost = nextSn++;
        for (int i = 0; i < 3; i++) {
            assertThat(pushNext()).as("the segments beyond the gap").isZero();
            driven.flush();
        }
        assertThat(pushNext()).as("the peer knows the gap").isEqualTo(DELAY_MS);
        assertThat(push(lost)).as("the retransmission").isZero();
        assertThat(driven.flush()).extracting(WireSegment::una).containsOnly(nextSn);
    }

    @Test
    void duplicateIsAcknowledgedAtOnce() {
        measure(ROUND_TRIP_MS, true);
        begin();
        driven.advance(1);
        driven.input(new WireSegment(WireSegment.CONV, WireSegment.PUSH, 0, 128, driven.nowMs(), 0, 1, DATA));
        assertThat(driven.kcp.nextDeadline(driven.nowMs())).isZero();
    }

    @Test
    void delayDependsOnTheRoundTrip() {
        assertThat(IntStream.of(0, 15, 16, 48, 64, 1_000).map(AckThinning::delayMs).boxed()).containsExactly(0, 0, 1, 3, 4, 4);
    }

    @Test
    void acknowledgementsToOtherImplementationsAreNotDelayed() {
        measure(ROUND_TRIP_MS, false);
        assertThatNothingIsDelayed();
    }

    /** An attacker who knows the address and the conv can forge a query, but not the echo of the token. */
    @Test
    void forgedQueryDoesNotDelayAcknowledgements() {
        measure(ROUND_TRIP_MS, false);
        driven.input(control(WireSegment.WASK, WireSegment.SUPPORT_SN, 77), control(WireSegment.WINS, WireSegment.SUPPORT_SN, TOKEN + 1));
        driven.flush();
        assertThatNothingIsDelayed();
    }

    private void assertThatNothingIsDelayed() {
        begin();
        for (int i = 0; i < 10; i++) {
            assertThat(pushNext()).isZero();
            driven.flush();
        }
    }

    /** The window of kcp-go grows once per datagram that advances {@code una}. */
    @Test
    void delayedAcknowledgementsDoNotSlowDownTheCongestionControlOfKcpGo() {
        BulkTransfer each = transfer(false);
        BulkTransfer delayed = transfer(true);
        assertThat(delayed.acknowledgements).as("datagrams of the receiver").isLessThan(each.acknowledgements / 2);
        assertThat(delayed.roundTrips).as("round trips").isLessThanOrEqualTo(each.roundTrips);
    }

    private record BulkTransfer(int roundTrips, int acknowledgements) {
    }

    /** Sends 500 segments. Every round trip, the receiver processes the datagrams of a window one by one, within a millisecond. */
    private BulkTransfer transfer(boolean delayed) {
        KcpConfig config = KcpConfig.fast3().toBuilder().congestionControl(CongestionAlgorithm.KCP_GO).sendWindow(1_024)
            .receiveWindow(1_024).build();
        DrivenKcp sender = new DrivenKcp(leaks, config);
        DrivenKcp receiver = new DrivenKcp(leaks, config);
        receiver.sendSmall(2);
        for (DrivenKcp side : List.of(sender, receiver)) {
            side.kcp.closeNotice().setEnabled(delayed);
        }
        for (int i = 0; i < 500; i++) {
            sender.send(new byte[sender.kcp.mssBytes()]);
        }
        int acknowledgements = 0;
        for (int roundTrips = 0;; roundTrips++) {
            if (sender.kcp.isIdle()) {
                return new BulkTransfer(roundTrips, acknowledgements);
            }
            sender.kcp.flush(sender.nowMs());
            List<byte[]> outbound = sender.output.take();
            receiver.advance(ROUND_TRIP_MS / 2);
            List<byte[]> inbound = new ArrayList<>();
            for (byte[] datagram : outbound) {
                receiver.inputBytes(datagram);
                if (receiver.kcp.nextDeadline(receiver.nowMs()) == 0) {
                    receiver.kcp.flush(receiver.nowMs());
                    inbound.addAll(receiver.output.take());
                }
            }
            receiver.advance(DELAY_MS);
            receiver.kcp.flush(receiver.nowMs());
            inbound.addAll(receiver.output.take());
            acknowledgements += inbound.size();
            receiver.advance(ROUND_TRIP_MS / 2);
            sender.advance(ROUND_TRIP_MS + DELAY_MS);
            receiver.receiveAll();
            inbound.forEach(sender::inputBytes);
        }
    }

    /** Full segments leave no room for a query. */
    @Test
    void bothSidesOfABulkTransferRecognizeEachOther() {
        DrivenKcp receiver = new DrivenKcp(leaks, KcpConfig.fast3());
        driven.kcp.closeNotice().setEnabled(true);
        receiver.kcp.closeNotice().setEnabled(true);
        for (int i = 0; i < 100; i++) {
            driven.send(new byte[driven.kcp.mssBytes()]);
        }
        new DrivenPair(driven, receiver, ROUND_TRIP_MS / 2, number -> false).runUntilIdle(10_000);
        assertThat(List.of(driven, receiver)).allMatch(DrivenKcp::peerReadsCloseNotices);
    }

    @Test
    void clockMayWrapDuringALongIdlePeriod() {
        AckThinning thinning = new AckThinning();
        thinning.onSent(0);
        thinning.onQueued(true);
        assertThat(thinning.msUntilDue(1, Integer.MIN_VALUE + 1_000, DELAY_MS)).isZero();
    }
}

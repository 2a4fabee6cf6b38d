package io.kcp.core.conversation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kcp.core.CongestionAlgorithm;
import io.kcp.core.InputResult;
import io.kcp.core.KcpConfig;
import io.kcp.core.KcpOutput;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tests that an owner may call every method of a conversation from within {@link KcpOutput#write}. */
class KcpReentrancyTest {

    private static final byte[] DATA = {10, 11, 12, 13, 14};
    /** Payload size with which one segment fills a datagram. */
    private static final int MSS = 1_376;

    @RegisterExtension
    final LeakCheck leaks = new LeakCheck();

    @Test
    void nestedFlushDoesNothing() {
        DrivenKcp driven = filled(5);
        driven.output.onWrite(datagram -> driven.kcp.flush(driven.nowMs()));
        assertThat(driven.flush()).extracting(WireSegment::sn).containsExactly(0, 1, 2, 3, 4);
    }

    @Test
    void sendDuringWriteQueuesTheMessage() {
        DrivenKcp driven = filled(3);
        int[] more = {4};
        driven.output.onWrite(datagram -> {
            if (more[0]-- > 0) {
                driven.send(DATA);
            }
        });
        List<WireSegment> sent = new ArrayList<>(driven.flush());
        sent.addAll(driven.flush());
        sent.addAll(driven.flush());
        assertThat(sent).extracting(WireSegment::sn).containsExactly(0, 1, 2, 3, 4, 5, 6);
    }

    @Test
    void receiveDuringWriteReturnsMessages() {
        DrivenKcp driven = filled(3);
        driven.input(WireSegment.push(0, 0, DATA), WireSegment.push(1, 0, DATA));
        List<byte[]> read = new ArrayList<>();
        driven.output.onWrite(datagram -> read.addAll(driven.receiveAll()));
        driven.flush();
        assertThat(read).containsExactly(DATA, DATA);
    }

    @Test
    void ackDuringWriteIsProcessed() {
        DrivenKcp driven = filled(5);
        driven.output.onWrite(datagram -> {
            for (WireSegment segment : WireSegment.parse(datagram)) {
                driven.input(WireSegment.ack(segment.sn(), segment.ts(), segment.sn() + 1));
            }
        });
        assertThat(driven.flush()).hasSize(5);
        assertThat(driven.kcp.isIdle()).isTrue();
    }

    @Test
    void ackOfRetransmittedSegmentDuringWriteIsProcessed() {
        DrivenKcp driven = filled(3);
        driven.flush();
        driven.advance(200);
        boolean[] heard = {false};
        driven.output.onWrite(datagram -> {
            if (!heard[0]) {
                heard[0] = true;
                for (int sn = 0; sn < 3; sn++) {
                    driven.input(WireSegment.ack(sn, 0, 0));
                }
            }
        });
        driven.flush();
        assertThat(driven.kcp.unacknowledgedBytes()).isZero();
        driven.input(WireSegment.wins(128).withUna(3));
        assertThat(driven.kcp.isIdle()).isTrue();
    }

    @Test
    void ackOfAllSegmentsDuringRetransmissionIsProcessed() {
        DrivenKcp driven = filled(20);
        driven.flush();
        driven.advance(200);
        driven.output.onWrite(datagram -> driven.input(WireSegment.wins(128).withUna(20)));
        driven.flush();
        assertThat(driven.kcp.isIdle()).isTrue();
        assertThat(driven.runFor(10_000)).isEmpty();
    }

    /** Each segment fills a datagram, so the datagram of segment n is written while segment n + 1 is being pushed. */
    @Test
    void acknowledgingTheSegmentBeingPushedSkipsIt() {
        DrivenKcp driven = filled(3);
        driven.output.onWrite(datagram -> {
            int pushed = WireSegment.parse(datagram).get(0).sn() + 1;
            driven.input(WireSegment.ack(pushed, 0, 0));
        });
        assertThat(driven.flush()).extracting(WireSegment::sn).containsExactly(0, 2);
        driven.output.onWrite(datagram -> { });
        driven.input(WireSegment.wins(128).withUna(3));
        assertThat(driven.kcp.isIdle()).isTrue();
    }

    @Test
    void segmentRecycledDuringPushIsNotSent() {
        DrivenKcp driven = filled(3);
        boolean[] once = {true};
        driven.output.onWrite(datagram -> {
            if (once[0]) {
                once[0] = false;
                driven.input(WireSegment.wins(128).withUna(2));
                driven.send(DATA);
            }
        });
        List<WireSegment> sent = driven.flush();
        assertThat(sent).extracting(WireSegment::sn).containsExactly(0, 2, 3);
        assertThat(sent).extracting(segment -> segment.payload().length).containsExactly(MSS, MSS, DATA.length);
    }

    @Test
    void acksQueuedDuringFlushDoNotReplaceOthers() {
        DrivenKcp driven = new DrivenKcp(leaks, KcpConfig.fast3().toBuilder().receiveWindow(32).mtuBytes(100).build());
        for (int sn = 1; sn <= 16; sn++) {
            driven.input(WireSegment.push(sn, 0, DATA));
            driven.input(WireSegment.push(sn, 0, DATA));
        }
        boolean[] once = {true};
        driven.output.onWrite(datagram -> {
            if (once[0]) {
                once[0] = false;
                driven.input(WireSegment.push(0, 0, DATA));
                driven.input(WireSegment.push(20, 0, DATA));
                driven.input(WireSegment.push(22, 0, DATA));
            }
        });
        List<WireSegment> sent = new ArrayList<>(driven.flush());
        driven.runFor(100).forEach(each -> sent.add(each.segment()));
        assertThat(sent).extracting(WireSegment::sn).contains(20, 22);
        assertThat(sent).extracting(WireSegment::una).contains(17);
    }

    @Test
    void segmentReceivedDuringWriteIsAcknowledged() {
        DrivenKcp driven = new DrivenKcp(leaks, KcpConfig.fast3().toBuilder().mtuBytes(100).build());
        for (int sn = 1; sn <= 10; sn++) {
            driven.input(WireSegment.push(sn, 0, DATA));
        }
        boolean[] came = {false};
        driven.output.onWrite(datagram -> {
            if (!came[0]) {
                came[0] = true;
                driven.input(WireSegment.push(50, 0, DATA));
            }
        });
        List<WireSegment> sent = new ArrayList<>(driven.flush());
        driven.runFor(100).forEach(each -> sent.add(each.segment()));
        assertThat(sent).extracting(WireSegment::sn).contains(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 50);
    }

    @Test
    void reconfigureDuringWriteAppliesToLaterSegments() {
        DrivenKcp driven = filled(10);
        driven.input(WireSegment.push(0, 0, DATA));
        driven.output.onWrite(datagram -> driven.kcp.reconfigure(KcpConfig.fast3().toBuilder().mtuBytes(200)
            .sendWindow(2).fastResend(5).fastResendLimit(0).congestionControl(CongestionAlgorithm.CUBIC).build()));
        driven.flush();
        driven.output.onWrite(datagram -> { });
        driven.kcp.reconfigure(KcpConfig.fast3());
        driven.runFor(1_000);
        driven.input(WireSegment.wins(128).withUna(10));
        assertThat(driven.kcp.isIdle()).isTrue();
    }

    @Test
    void releaseDuringWriteEndsTheFlush() {
        DrivenKcp driven = filled(5);
        driven.output.onWrite(datagram -> driven.kcp.release());
        driven.flush();
        assertThat(leaks.outstanding()).isZero();
        assertThat(driven.kcp.nextDeadline(driven.nowMs())).isEqualTo(Kcp.NO_DEADLINE);
    }

    @Test
    void releaseDuringRetransmissionEndsTheFlush() {
        DrivenKcp driven = filled(5);
        driven.flush();
        driven.advance(200);
        driven.output.onWrite(datagram -> driven.kcp.release());
        driven.flush();
        assertThat(leaks.outstanding()).isZero();
    }

    @Test
    void throwingOutputLosesOnlyOneDatagram() {
        DrivenKcp driven = filled(5);
        driven.output.onWrite(datagram -> {
            throw new IllegalStateException("no buffer space");
        });
        assertThatThrownBy(driven::flush).isInstanceOf(IllegalStateException.class);
        driven.output.onWrite(datagram -> { });
        driven.output.take();
        List<DrivenKcp.Sent> sent = driven.runFor(2_000);
        assertThat(sent).extracting(each -> each.segment().sn()).contains(0, 1, 2, 3, 4);
        driven.input(WireSegment.wins(128).withUna(5));
        assertThat(driven.kcp.isIdle()).isTrue();
    }

    @Test
    void conversationsMayBeConnectedDirectly() {
        KcpConfig config = KcpConfig.fast3().toBuilder().mtuBytes(100).build();
        DrivenKcp one = new DrivenKcp(leaks, config);
        DrivenKcp other = new DrivenKcp(leaks, config);
        List<byte[]> atOne = new ArrayList<>();
        List<byte[]> atOther = new ArrayList<>();
        connect(one, other, atOther);
        connect(other, one, atOne);
        for (int i = 0; i < 500; i++) {
            one.send(new byte[] {(byte) i, 1});
            other.send(new byte[70]);
            other.send(new byte[] {(byte) i, 2});
        }
        for (int ms = 0; ms < 2_000; ms++) {
            one.runFor(1);
            other.runFor(1);
        }
        assertThat(one.kcp.isIdle()).isTrue();
        assertThat(other.kcp.isIdle()).isTrue();
        assertThat(atOther).hasSize(500);
        assertThat(atOne).hasSize(1_000);
    }

    private static void connect(DrivenKcp from, DrivenKcp to, List<byte[]> received) {
        from.output.onWrite(datagram -> {
            assertThat(to.inputBytes(datagram)).isEqualTo(InputResult.ACCEPTED);
            received.addAll(to.receiveAll());
            if (to.kcp.nextDeadline(to.nowMs()) == 0) {
                to.kcp.flush(to.nowMs());
            }
        });
    }

    private DrivenKcp filled(int segments) {
        DrivenKcp driven = new DrivenKcp(leaks, KcpConfig.fast3());
        for (int i = 0; i < segments; i++) {
            driven.send(new byte[MSS]);
        }
        return driven;
    }
}

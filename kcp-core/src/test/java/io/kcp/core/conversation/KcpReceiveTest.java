package io.kcp.core.conversation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.kcp.core.KcpConfig;
import io.netty.buffer.ByteBuf;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests the receive window: stored segments, announcements to the peer, and the memory that it keeps alive. */
class KcpReceiveTest {

    private static final byte[] DATA = {10, 11, 12, 13, 14};

    @RegisterExtension
    final LeakCheck leaks = new LeakCheck();

    @Test
    void reopenedWindowIsAnnounced() {
        DrivenKcp driven = new DrivenKcp(leaks, withWindow(4));
        for (int sn = 0; sn < 4; sn++) {
            driven.input(WireSegment.push(sn, 0, DATA));
            assertThat(driven.flush()).extracting(WireSegment::cmd, WireSegment::wnd)
                .containsExactly(tuple(WireSegment.ACK, 3 - sn));
        }
        assertThat(driven.kcp.nextDeadline(driven.nowMs())).isEqualTo(Kcp.NO_DEADLINE);
        assertThat(driven.receive()).isEqualTo(DATA);
        assertThat(driven.kcp.nextDeadline(driven.nowMs())).isZero();
        assertThat(driven.flush()).extracting(WireSegment::cmd, WireSegment::wnd).containsExactly(tuple(WireSegment.WINS, 1));
        driven.receive();
        assertThat(driven.kcp.nextDeadline(driven.nowMs())).as("once").isEqualTo(Kcp.NO_DEADLINE);
    }

    @Test
    void windowGrownByHalfIsAnnounced() {
        DrivenKcp driven = new DrivenKcp(leaks, withWindow(8));
        for (int sn = 0; sn < 6; sn++) {
            driven.input(WireSegment.push(sn, 0, DATA));
        }
        assertThat(driven.flush()).extracting(WireSegment::cmd, WireSegment::wnd).containsExactly(tuple(WireSegment.ACK, 2));
        for (int i = 0; i < 3; i++) {
            driven.receive();
            assertThat(driven.kcp.nextDeadline(driven.nowMs())).isEqualTo(Kcp.NO_DEADLINE);
        }
        driven.receive();
        assertThat(driven.kcp.nextDeadline(driven.nowMs())).isZero();
        assertThat(driven.flush()).extracting(WireSegment::cmd, WireSegment::wnd).containsExactly(tuple(WireSegment.WINS, 6));
        driven.receive();
        assertThat(driven.kcp.nextDeadline(driven.nowMs())).as("once").isEqualTo(Kcp.NO_DEADLINE);
    }

    @ParameterizedTest
    @CsvSource({"1024, 256", "400, 100", "128, 64", "64, 64"})
    void quarterOfTheWindowWithoutAFlushIsReportedOnce(int window, int quarterSegments) {
        DrivenKcp driven = new DrivenKcp(leaks, withWindow(window));
        int sn = 0;
        for (int round = 0; round < 3; round++) {
            for (int i = 0; i < quarterSegments; i++) {
                assertThat(driven.kcp.pollUnflushedQuarter()).as("after %d segments", i).isFalse();
                driven.input(WireSegment.push(sn++, 0, DATA));
            }
            assertThat(driven.kcp.pollUnflushedQuarter()).isTrue();
            assertThat(driven.kcp.pollUnflushedQuarter()).as("reported once").isFalse();
            driven.receiveAll();
            driven.flush();
        }
        assertThat(driven.kcp.pollUnflushedQuarter()).isFalse();
    }

    @Test
    void eachQuarterIsReportedEvenWithoutAFlush() {
        DrivenKcp driven = new DrivenKcp(leaks, withWindow(1_024));
        int reports = 0;
        for (int sn = 0; sn < 1_023; sn++) {
            driven.input(WireSegment.push(sn, 0, DATA));
            reports += driven.kcp.pollUnflushedQuarter() ? 1 : 0;
        }
        assertThat(reports).isEqualTo(3);
    }

    @Test
    void duplicatesAndSegmentsBehindAGapDoNotCountAsUnflushed() {
        DrivenKcp driven = new DrivenKcp(leaks, withWindow(1_024));
        for (int i = 0; i < 500; i++) {
            driven.input(WireSegment.push(0, 0, DATA));
            driven.input(WireSegment.push(2 + i, 0, DATA));
        }
        assertThat(driven.kcp.pollUnflushedQuarter()).isFalse();
        driven.input(WireSegment.push(1, 0, DATA));
        assertThat(driven.kcp.pollUnflushedQuarter()).as("the gap is closed").isTrue();
    }

    @Test
    void acknowledgementReplacesTheAnnouncement() {
        DrivenKcp driven = new DrivenKcp(leaks, withWindow(8));
        for (int sn = 0; sn < 6; sn++) {
            driven.input(WireSegment.push(sn, 0, DATA));
        }
        driven.flush();
        driven.input(WireSegment.push(6, 0, DATA));
        driven.receiveAll();
        assertThat(driven.flush()).extracting(WireSegment::cmd, WireSegment::wnd).containsExactly(tuple(WireSegment.ACK, 8));
        assertThat(driven.kcp.nextDeadline(driven.nowMs())).isEqualTo(Kcp.NO_DEADLINE);
    }

    @Test
    void immediateReadsAnnounceNoWindow() {
        DrivenKcp driven = new DrivenKcp(leaks, withWindow(8));
        for (int sn = 0; sn < 800; sn += 8) {
            for (int i = 0; i < 8; i++) {
                driven.input(WireSegment.push(sn + i, 0, DATA));
            }
            assertThat(driven.receiveAll()).hasSize(8);
            assertThat(driven.flush()).extracting(WireSegment::cmd).containsOnly(WireSegment.ACK);
            assertThat(driven.kcp.nextDeadline(driven.nowMs())).isEqualTo(Kcp.NO_DEADLINE);
        }
    }

    @Test
    void segmentsBeyondAFullWindowAreDeliveredAfterReads() {
        DrivenKcp driven = new DrivenKcp(leaks, withWindow(4));
        for (int sn = 0; sn < 8; sn++) {
            driven.input(WireSegment.push(sn, 0, new byte[] {(byte) sn}));
        }
        assertThat(driven.flush()).extracting(WireSegment::una).containsOnly(4);
        assertThat(driven.receiveAll()).hasSize(8);
        assertThat(driven.flush()).extracting(WireSegment::una).containsOnly(8);
    }

    @Test
    void atMostTwoWindowsAreStored() {
        DrivenKcp driven = new DrivenKcp(leaks, withWindow(8));
        for (int round = 0; round < 3; round++) {
            for (int sn = 100; sn >= 0; sn--) {
                driven.input(WireSegment.push(sn, 0, DATA));
                assertThat(leaks.outstanding()).isLessThanOrEqualTo(16);
            }
        }
        assertThat(leaks.outstanding()).isEqualTo(16);
    }

    @Test
    void segmentOutsideTheWindowIsIgnored() {
        DrivenKcp driven = new DrivenKcp(leaks, withWindow(8));
        driven.input(WireSegment.push(8, 0, DATA));
        driven.input(WireSegment.push(Integer.MAX_VALUE, 0, DATA));
        assertThat(leaks.outstanding()).isZero();
        assertThat(driven.kcp.nextDeadline(driven.nowMs())).isEqualTo(Kcp.NO_DEADLINE);
        assertThat(driven.kcp.stats().repeatedSegments()).isEqualTo(2);
        driven.input(WireSegment.push(7, 0, DATA));
        assertThat(driven.flush()).extracting(WireSegment::sn).containsExactly(7);
    }

    @Test
    @Tag("slow")
    void largestWindowWorks() {
        DrivenKcp driven = new DrivenKcp(leaks, withWindow(65_535));
        driven.input(WireSegment.push(65_535, 0, DATA));
        assertThat(driven.flush()).isEmpty();
        driven.input(WireSegment.push(65_534, 0, DATA));
        assertThat(driven.flush()).extracting(WireSegment::wnd).containsExactly(65_535);
        for (int sn = 0; sn < 65_534; sn++) {
            driven.input(WireSegment.push(sn, 0, DATA));
        }
        assertThat(driven.flush()).extracting(WireSegment::wnd, WireSegment::una).containsOnly(tuple(0, 65_535));
        assertThat(driven.receiveAll()).hasSize(65_535);
        assertThat(driven.flush()).extracting(WireSegment::wnd).containsOnly(65_535);
    }

    @Test
    void smallestWindowWorks() {
        DrivenKcp driven = new DrivenKcp(leaks, withWindow(1));
        for (int sn = 0; sn < 20; sn++) {
            driven.input(WireSegment.push(sn, 0, new byte[] {(byte) sn}));
            assertThat(driven.receive()).containsExactly(sn);
        }
    }

    @Test
    void fragmentsInAnyOrderBecomeOneMessage() {
        DrivenKcp driven = new DrivenKcp(leaks, withWindow(32));
        for (int sn : new int[] {3, 0, 5, 1, 4, 2}) {
            driven.input(WireSegment.push(sn, 0, new byte[] {(byte) sn}).withFrg(sn < 4 ? 3 - sn : 5 - sn));
        }
        assertThat(driven.receiveAll()).containsExactly(new byte[] {0, 1, 2, 3}, new byte[] {4, 5});
    }

    @Test
    void incompleteMessageIsNotReadable() {
        DrivenKcp driven = new DrivenKcp(leaks, withWindow(32));
        driven.input(WireSegment.push(0, 0, DATA).withFrg(1));
        assertThat(driven.kcp.hasReceivable()).isFalse();
        assertThat(driven.receive()).isNull();
        driven.input(WireSegment.push(1, 0, DATA));
        assertThat(driven.kcp.hasReceivable()).isTrue();
        assertThat(driven.receive()).hasSize(10);
        assertThat(driven.kcp.stats().bytesReceived()).isEqualTo(10);
    }

    @Test
    void unreadPayloadIsASliceUntilDetached() {
        DrivenKcp driven = new DrivenKcp(leaks, withWindow(32));
        byte[] data = new byte[300];
        ByteBuf large = leaks.allocator().buffer(2_048).writeBytes(WireSegment.datagram(
            WireSegment.push(0, 0, data).withFrg(1), WireSegment.push(1, 0, data), WireSegment.push(2, 0, data)));
        driven.kcp.input(large, false, 0);
        large.release();
        assertThat(large.refCnt()).as("the payload is not copied").isEqualTo(3);
        driven.kcp.detachReceived();
        assertThat(large.refCnt()).isZero();
        driven.kcp.detachReceived();
        assertThat(driven.receiveAll()).extracting(message -> message.length).containsExactly(600, 300);
    }

    @Test
    void detachOfPartialMessageKeepsItIntact() {
        DrivenKcp driven = new DrivenKcp(leaks, withWindow(32));
        driven.input(WireSegment.push(0, 0, DATA), WireSegment.push(1, 0, new byte[] {1}).withFrg(2));
        driven.receive();
        driven.kcp.detachReceived();
        driven.input(WireSegment.push(2, 0, new byte[] {2}).withFrg(1));
        driven.kcp.detachReceived();
        driven.input(WireSegment.push(3, 0, new byte[] {3}));
        driven.kcp.detachReceived();
        assertThat(driven.receiveAll()).containsExactly(new byte[] {1, 2, 3});
    }

    @Test
    void outOfOrderPayloadIsCopied() {
        DrivenKcp driven = new DrivenKcp(leaks, withWindow(32));
        ByteBuf large = leaks.allocator().buffer(2_048).writeBytes(WireSegment.push(1, 0, DATA).bytes());
        driven.kcp.input(large, false, 0);
        large.release();
        assertThat(large.refCnt()).isZero();
        driven.input(WireSegment.push(0, 0, DATA));
        assertThat(driven.receiveAll()).hasSize(2);
    }

    @Test
    void acknowledgementsFillDatagramsUpToTheMtu() {
        DrivenKcp driven = new DrivenKcp(leaks, withWindow(128).toBuilder().mtuBytes(100).build());
        for (int sn = 1; sn < 21; sn++) {
            driven.input(WireSegment.push(sn, sn, DATA));
        }
        driven.kcp.flush(0);
        List<byte[]> datagrams = driven.output.take();
        assertThat(datagrams).hasSize(5).allMatch(datagram -> datagram.length == 96);
        assertThat(datagrams.stream().flatMap(datagram -> WireSegment.parse(datagram).stream()).map(WireSegment::sn))
            .containsExactly(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20);
    }

    @Test
    void duplicatesAreAcknowledgedAfterPeersClockWasSetBack() {
        DrivenKcp driven = new DrivenKcp(leaks, KcpConfig.fast3());
        driven.input(WireSegment.push(0, 100_000_000, DATA));
        driven.flush();
        driven.input(WireSegment.push(1, 100_000_000 - 60_000, DATA));
        driven.flush();
        driven.advance(300);
        driven.input(WireSegment.push(1, 100_000_000 - 59_700, DATA));
        assertThat(driven.flush()).extracting(WireSegment::sn).containsExactly(1);
    }

    private static KcpConfig withWindow(int segments) {
        return KcpConfig.fast3().toBuilder().receiveWindow(segments).build();
    }
}

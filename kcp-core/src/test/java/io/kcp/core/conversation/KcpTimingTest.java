package io.kcp.core.conversation;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.CongestionAlgorithm;
import io.kcp.core.KcpConfig;
import io.kcp.core.KcpStats;
import io.kcp.core.KcpTransferMode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests the results of {@link Kcp#nextDeadline} and the segments sent at the deadline. */
class KcpTimingTest {

    private static final byte[] DATA = {10, 11, 12, 13, 14};

    @RegisterExtension
    final LeakCheck leaks = new LeakCheck();

    @Test
    void writeIsSentImmediately() {
        DrivenKcp driven = new DrivenKcp(leaks, KcpConfig.fast3());
        driven.sendSmall(1);
        assertThat(driven.kcp.nextDeadline(0)).isZero();
    }

    @Test
    void delayedWriteWaitsForTheInterval() {
        DrivenKcp driven = new DrivenKcp(leaks, KcpConfig.fast2().toBuilder().writeDelay(true).build());
        driven.sendSmall(1);
        assertThat(driven.kcp.nextDeadline(0)).isEqualTo(20);
        driven.advance(15);
        driven.sendSmall(1);
        assertThat(driven.kcp.nextDeadline(15)).isEqualTo(5);
        assertThat(driven.runFor(5)).extracting(DrivenKcp.Sent::atMs).containsExactly(20, 20);
    }

    @Test
    void fullSendWindowEndsTheWriteDelay() {
        DrivenKcp driven = new DrivenKcp(leaks, KcpConfig.fast2().toBuilder().writeDelay(true).sendWindow(4).build());
        driven.sendSmall(3);
        assertThat(driven.kcp.canSend()).isTrue();
        assertThat(driven.kcp.nextDeadline(0)).isEqualTo(20);
        driven.sendSmall(1);
        assertThat(driven.kcp.canSend()).isFalse();
        assertThat(driven.kcp.nextDeadline(0)).isZero();
    }

    @Test
    void acknowledgementIsSentImmediately() {
        DrivenKcp driven = new DrivenKcp(leaks, KcpConfig.fast3());
        driven.input(WireSegment.push(0, 0, DATA));
        assertThat(driven.kcp.nextDeadline(0)).isZero();
    }

    @Test
    void delayedAcknowledgementWaitsForTheInterval() {
        DrivenKcp driven = new DrivenKcp(leaks, KcpConfig.fast2().toBuilder().ackNoDelay(false).build());
        driven.input(WireSegment.push(0, 0, DATA));
        driven.advance(12);
        driven.input(WireSegment.push(1, 0, DATA));
        assertThat(driven.kcp.nextDeadline(12)).isEqualTo(8);
        assertThat(driven.runFor(10)).extracting(DrivenKcp.Sent::atMs).containsExactly(20);
    }

    @Test
    void fullDatagramOfAcksIsNotDelayed() {
        KcpConfig config = KcpConfig.fast2().toBuilder().ackNoDelay(false).mtuBytes(240).build();
        DrivenKcp driven = new DrivenKcp(leaks, config);
        for (int sn = 0; sn < 9; sn++) {
            driven.input(WireSegment.push(sn, 0, DATA));
        }
        assertThat(driven.kcp.nextDeadline(0)).isEqualTo(20);
        driven.input(WireSegment.push(9, 0, DATA));
        assertThat(driven.kcp.nextDeadline(0)).isZero();
    }

    /** The owner flushes only at the deadline, so the deadline must cover every accepted message. */
    @ParameterizedTest
    @EnumSource(CongestionAlgorithm.class)
    void firstWriteIsSentWithEveryCongestionControl(CongestionAlgorithm algorithm) {
        DrivenKcp driven = new DrivenKcp(leaks, KcpConfig.fast3().toBuilder().congestionControl(algorithm).build());
        driven.sendSmall(1);
        assertThat(driven.runFor(100)).isNotEmpty();
    }

    @ParameterizedTest
    @EnumSource(CongestionAlgorithm.class)
    void writeIsSentAfterChangeOfCongestionControl(CongestionAlgorithm algorithm) {
        DrivenKcp driven = new DrivenKcp(leaks, KcpConfig.fast3());
        driven.flush();
        driven.kcp.reconfigure(KcpConfig.fast3().toBuilder().congestionControl(algorithm).build());
        driven.sendSmall(1);
        assertThat(driven.runFor(100)).isNotEmpty();
    }

    @Test
    void flushClearsTheDeadline() {
        DrivenKcp driven = new DrivenKcp(leaks, KcpConfig.fast());
        driven.sendSmall(10);
        driven.flush();
        driven.advance(30);
        driven.input(WireSegment.ack(4, 0, 2));
        while (driven.nowMs() < 29_000) {
            int wait = driven.kcp.nextDeadline(driven.nowMs());
            driven.advance(wait);
            driven.flush();
            assertThat(driven.kcp.nextDeadline(driven.nowMs())).as("after the flush at %d ms", driven.nowMs()).isPositive();
        }
    }

    @Test
    void segmentsShareDatagramsUpToTheMtu() {
        DrivenKcp driven = new DrivenKcp(leaks, KcpConfig.fast3().toBuilder().mtuBytes(100).build());
        for (int i = 0; i < 5; i++) {
            driven.send(new byte[26]);
        }
        driven.flush();
        assertThat(driven.kcp.stats().datagramsOut()).isEqualTo(3);
        assertThat(driven.kcp.stats().segmentsOut()).isEqualTo(5);
        assertThat(driven.kcp.stats().wireBytesOut()).isEqualTo(5 * 50);
    }

    @Test
    void smallStreamWritesShareASegment() {
        DrivenKcp driven = new DrivenKcp(leaks, KcpConfig.fast3().toBuilder().mode(KcpTransferMode.STREAM).mtuBytes(34).build());
        driven.send(new byte[] {0, 1, 2});
        driven.send(new byte[] {3, 4, 5});
        driven.send(new byte[] {6, 7, 8, 9, 10, 11, 12});
        driven.send(new byte[0]);
        assertThat(driven.flush()).extracting(WireSegment::payload)
            .containsExactly(new byte[] {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, new byte[] {10, 11, 12});
    }

    @Test
    void emptyWriteIsAnEmptyMessageExceptInStreams() {
        DrivenKcp messages = new DrivenKcp(leaks, KcpConfig.fast3());
        messages.send(new byte[0]);
        assertThat(messages.flush()).extracting(segment -> segment.payload().length).containsExactly(0);
        DrivenKcp stream = new DrivenKcp(leaks, KcpConfig.fast3().toBuilder().mode(KcpTransferMode.STREAM).build());
        stream.send(new byte[0]);
        assertThat(stream.kcp.isIdle()).isTrue();
    }

    @Test
    void messageIsSplitIntoDescendingFragments() {
        DrivenKcp driven = new DrivenKcp(leaks, KcpConfig.fast3().toBuilder().mtuBytes(34).build());
        driven.send(new byte[25]);
        driven.send(new byte[20]);
        assertThat(driven.flush()).extracting(WireSegment::frg).containsExactly(2, 1, 0, 1, 0);
    }

    @Test
    void acknowledgedBytesCountDeliverableBytes() {
        DrivenKcp driven = new DrivenKcp(leaks, KcpConfig.fast3());
        assertThat(driven.kcp.conv()).isEqualTo(WireSegment.CONV);
        assertThat(driven.kcp.isAcknowledged()).isFalse();
        driven.send(new byte[100]);
        driven.send(new byte[10]);
        driven.flush();
        driven.advance(70);
        assertThat(driven.kcp.inactiveMs(70)).isEqualTo(70);
        assertThat(driven.kcp.acknowledgedBytes()).isZero();
        driven.input(WireSegment.ack(1, 0, 0));
        assertThat(driven.kcp.acknowledgedBytes()).as("the peer cannot deliver it before the missing segment").isZero();
        driven.input(WireSegment.push(0, 0, DATA).withUna(1));
        assertThat(driven.kcp.isAcknowledged()).isTrue();
        assertThat(driven.kcp.acknowledgedBytes()).isEqualTo(110);
        assertThat(driven.kcp.nextExpectedSn()).isEqualTo(1);
        assertThat(driven.kcp.inactiveMs(80)).isEqualTo(10);
        assertThat(driven.kcp.sendableBytes()).isEqualTo(127 * 1_376);
    }

    @Test
    void statisticsCountAllEvents() {
        DrivenKcp driven = new DrivenKcp(leaks, KcpConfig.fast3());
        driven.send(new byte[100]);
        driven.flush();
        driven.runUntil(200);
        driven.input(WireSegment.ack(0, 200, 1), WireSegment.push(0, 0, DATA), WireSegment.push(0, 0, DATA));
        driven.receive();
        driven.inputBytes(new byte[3]);
        KcpStats stats = driven.kcp.stats();
        assertThat(stats.bytesSent()).isEqualTo(100);
        assertThat(stats.bytesReceived()).isEqualTo(5);
        assertThat(stats.datagramsIn()).isEqualTo(2);
        assertThat(stats.datagramsOut()).isEqualTo(2);
        assertThat(stats.segmentsIn()).isEqualTo(3);
        assertThat(stats.segmentsOut()).isEqualTo(2);
        assertThat(stats.wireBytesIn()).isEqualTo(24 + 29 + 29);
        assertThat(stats.wireBytesOut()).isEqualTo(2 * 124);
        assertThat(stats.timeoutRetransmissions()).isEqualTo(1);
        assertThat(stats.retransmissions()).isEqualTo(1);
        assertThat(stats.repeatedSegments()).isEqualTo(1);
        assertThat(stats.datagramErrors()).isEqualTo(1);
        assertThat(stats.plus(KcpStats.ZERO)).isEqualTo(stats);
        assertThat(stats.plus(stats).wireBytesIn()).isEqualTo(2 * stats.wireBytesIn());
    }

    @Test
    void progressWeeksAgoDoesNotShortenTimeouts() {
        DrivenKcp driven = new DrivenKcp(leaks, KcpConfig.fast3());
        driven.sendSmall(1);
        driven.flush();
        driven.advance(40);
        driven.input(WireSegment.ack(0, 0, 1));
        for (int weeks = 0; weeks < 3; weeks++) {
            driven.advance(1_000_000_000);
            assertThat(driven.kcp.nextDeadline(driven.nowMs())).isEqualTo(Kcp.NO_DEADLINE);
        }
        int startMs = driven.nowMs();
        driven.sendSmall(1);
        assertThat(driven.runFor(10_000)).extracting(sent -> sent.atMs() - startMs).hasSizeLessThan(20);
    }
}

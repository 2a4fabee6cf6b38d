package io.kcp.core.conversation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.kcp.core.CongestionAlgorithm;
import io.kcp.core.KcpConfig;
import io.kcp.core.LinkState;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the deadlines and probes of an inactive conversation, and the timeouts that end it. */
class KcpLivenessTest {

    private static final byte[] DATA = {10, 11, 12, 13, 14};

    @RegisterExtension
    final LeakCheck leaks = new LeakCheck();

    // ---- dead peer

    @Test
    void inactivePeerIsDeadAfter30Seconds() {
        DrivenKcp driven = new DrivenKcp(leaks, KcpConfig.fast3());
        driven.sendSmall(1);
        driven.runUntil(29_900);
        assertThat(driven.kcp.linkState(29_900)).isEqualTo(LinkState.ALIVE);
        driven.runUntil(30_000);
        assertThat(driven.kcp.linkState(30_000)).isEqualTo(LinkState.PEER_TIMEOUT);
    }

    @Test
    void deadlineIsDueAtDeadPeerTimeout() {
        DrivenKcp driven = new DrivenKcp(leaks, KcpConfig.fast3().toBuilder().deadPeerTimeoutMs(1_000).build());
        driven.sendSmall(1);
        driven.flush();
        for (int flushes = 0; flushes < 100 && driven.kcp.linkState(driven.nowMs()) == LinkState.ALIVE; flushes++) {
            int wait = driven.kcp.nextDeadline(driven.nowMs());
            assertThat(wait).as("at %d ms", driven.nowMs()).isBetween(0, 1_000 - driven.nowMs());
            driven.advance(wait);
            driven.flush();
        }
        assertThat(driven.kcp.linkState(driven.nowMs())).isEqualTo(LinkState.PEER_TIMEOUT);
        assertThat(driven.nowMs()).isEqualTo(1_000);
    }

    @Test
    void inactivityStartsAtTheLastVerifiedDatagram() {
        DrivenKcp driven = new DrivenKcp(leaks, KcpConfig.fast3());
        driven.sendSmall(1);
        driven.runUntil(13_000);
        driven.input(WireSegment.push(0, 0, DATA));
        driven.runUntil(13_000 + 29_900);
        assertThat(driven.kcp.linkState(driven.nowMs())).isEqualTo(LinkState.ALIVE);
        driven.runUntil(13_000 + 30_100);
        assertThat(driven.kcp.linkState(driven.nowMs())).isEqualTo(LinkState.PEER_TIMEOUT);
    }

    @Test
    void timeBeforeUnacknowledgedDataDoesNotCount() {
        DrivenKcp driven = new DrivenKcp(leaks, KcpConfig.fast3());
        driven.advance(3_600_000);
        driven.kcp.ping(driven.nowMs());
        driven.runFor(29_900);
        assertThat(driven.kcp.linkState(driven.nowMs())).isEqualTo(LinkState.ALIVE);
        driven.runFor(200);
        assertThat(driven.kcp.linkState(driven.nowMs())).isEqualTo(LinkState.PEER_TIMEOUT);
    }

    @Test
    void clockJumpDoesNotCountAsInactivity() {
        DrivenKcp driven = new DrivenKcp(leaks, KcpConfig.fast3());
        driven.sendSmall(1);
        driven.runFor(1_000);
        driven.advance(3_600_000);
        assertThat(driven.flush()).as("timed-out segments are sent immediately").hasSize(1);
        assertThat(driven.kcp.linkState(driven.nowMs())).isEqualTo(LinkState.ALIVE);
        driven.runFor(20_000);
        assertThat(driven.kcp.linkState(driven.nowMs())).isEqualTo(LinkState.ALIVE);
        driven.input(WireSegment.ack(0, driven.nowMs(), 1));
        assertThat(driven.kcp.isIdle()).isTrue();
    }

    @Test
    void backwardClockStepDelaysNoDeadline() {
        DrivenKcp driven = new DrivenKcp(leaks, KcpConfig.fast3());
        driven.advance(10_000_000);
        driven.sendSmall(1);
        driven.flush();
        driven.advance(-9_000_000);
        assertThat(driven.kcp.nextDeadline(driven.nowMs())).isEqualTo(200);
        assertThat(driven.runFor(200)).hasSize(1);
    }

    @Test
    void clockJumpIsNotARoundTripSample() {
        DrivenKcp driven = new DrivenKcp(leaks, KcpConfig.fast3());
        driven.sendSmall(1);
        driven.flush();
        driven.advance(3_600_000);
        driven.input(WireSegment.ack(0, 0, 1));
        assertThat(driven.kcp.smoothedRttMs()).isZero();
        assertThat(driven.kcp.isIdle()).isTrue();
        driven.sendSmall(1);
        assertThat(driven.runFor(1_000)).as("lost segments are still retransmitted without additional delay").hasSizeGreaterThan(2);
    }

    @Test
    void maxTransmissionsEndsTheConversation() {
        DrivenKcp driven = new DrivenKcp(leaks, KcpConfig.fast3().toBuilder().maxTransmissions(3).build());
        driven.sendSmall(1);
        driven.runUntil(499);
        assertThat(driven.kcp.linkState(driven.nowMs())).isEqualTo(LinkState.ALIVE);
        driven.runUntil(500);
        assertThat(driven.kcp.linkState(driven.nowMs())).isEqualTo(LinkState.TRANSMISSIONS_EXHAUSTED);
    }

    @Test
    void datagramAfterInactivityExpeditesTheOldestSegment() {
        DrivenKcp driven = new DrivenKcp(leaks, KcpConfig.fast3());
        driven.sendSmall(1);
        driven.runUntil(20_000);
        driven.advance(driven.kcp.nextDeadline(driven.nowMs()));
        assertThat(driven.flush()).hasSize(1);
        driven.advance(100);
        assertThat(driven.kcp.nextDeadline(driven.nowMs())).isGreaterThan(1_000);
        driven.input(WireSegment.wins(128));
        assertThat(driven.kcp.nextDeadline(driven.nowMs())).isZero();
        assertThat(driven.flush()).extracting(WireSegment::sn).containsExactly(0);
    }

    /** Such a peer makes this side send, at the cost of a small datagram now and then. */
    @ParameterizedTest
    @ValueSource(ints = {100, 4_900, 20_000})
    void activePeerThatNeverAcknowledgesTimesOut(int periodMs) {
        DrivenKcp driven = new DrivenKcp(leaks, KcpConfig.fast3());
        driven.input(WireSegment.push(0, 0, DATA));
        driven.sendSmall(100);
        int sn = 1;
        while (driven.kcp.linkState(driven.nowMs()) == LinkState.ALIVE && driven.nowMs() < 600_000) {
            driven.runFor(periodMs);
            driven.input(WireSegment.push(sn++, driven.nowMs(), DATA));
            driven.receiveAll();
        }
        assertThat(driven.kcp.linkState(driven.nowMs())).isEqualTo(LinkState.PEER_TIMEOUT);
        assertThat(driven.nowMs()).as("time at which the session ends").isBetween(30_000, 40_000 + 6 * periodMs);
    }

    @Test
    void interruptionsDoNotCountAsRefusal() {
        DrivenKcp driven = new DrivenKcp(leaks, KcpConfig.fast3());
        for (int sn = 0; sn < 10; sn++) {
            driven.sendSmall(1);
            driven.runFor(25_000);
            driven.input(WireSegment.push(sn, driven.nowMs(), DATA));
            driven.receiveAll();
            driven.runFor(200);
            assertThat(driven.kcp.linkState(driven.nowMs())).isEqualTo(LinkState.ALIVE);
            driven.input(WireSegment.ack(sn, driven.nowMs() - 200, sn + 1));
        }
    }

    // ---- closed window

    @Test
    void closedWindowFor60SecondsMeansPeerIsNotReading() {
        DrivenKcp driven = new DrivenKcp(leaks, KcpConfig.fast3());
        driven.input(WireSegment.wins(0));
        driven.sendSmall(1);
        for (int second = 1; second < 60; second++) {
            driven.runUntil(second * 1_000);
            driven.input(WireSegment.wins(0));
            assertThat(driven.kcp.linkState(driven.nowMs())).as("second %d", second).isEqualTo(LinkState.ALIVE);
        }
        driven.runUntil(60_000);
        assertThat(driven.kcp.linkState(driven.nowMs())).isEqualTo(LinkState.PEER_NOT_READING);
    }

    /** A peer that is short of memory discards what is in flight and closes its window, although nothing else is queued. */
    @Test
    void closedWindowForDataInFlightMeansPeerIsNotReading() {
        DrivenKcp driven = new DrivenKcp(leaks, KcpConfig.fast3());
        driven.sendSmall(20);
        driven.flush();
        driven.input(WireSegment.ack(7, 0, 8).withWnd(0));
        while (driven.nowMs() < 59_000) {
            driven.runFor(1_000);
            driven.input(WireSegment.push(-1, driven.nowMs(), new byte[0]).withUna(8).withWnd(0));
            assertThat(driven.kcp.linkState(driven.nowMs())).as("at %d ms", driven.nowMs()).isEqualTo(LinkState.ALIVE);
        }
        driven.runFor(4_000);
        assertThat(driven.kcp.linkState(driven.nowMs())).isEqualTo(LinkState.PEER_NOT_READING);
    }

    @Test
    void closedWindowIsProbedEvery5Seconds() {
        DrivenKcp driven = new DrivenKcp(leaks, KcpConfig.fast3());
        driven.input(WireSegment.wins(0));
        driven.sendSmall(1);
        int previous = 0;
        for (DrivenKcp.Sent sent : driven.runUntil(29_000)) {
            assertThat(sent.segment()).matches(segment -> segment.cmd() == WireSegment.WASK || isProbe(segment));
            if (sent.segment().cmd() == WireSegment.WASK) {
                assertThat(sent.atMs() - previous).isBetween(500, 5_000);
                previous = sent.atMs();
            }
        }
        assertThat(previous).isGreaterThan(20_000);
        driven.input(WireSegment.wins(1));
        assertThat(driven.flush()).extracting(WireSegment::cmd).containsExactly(WireSegment.PUSH);
    }

    @Test
    void closedWindowDoesNotStopRetransmission() {
        DrivenKcp driven = new DrivenKcp(leaks, KcpConfig.fast3());
        driven.sendSmall(2);
        driven.flush();
        driven.input(WireSegment.ack(0, 0, 1).withWnd(0));
        driven.sendSmall(1);
        assertThat(driven.runUntil(450)).extracting(sent -> sent.segment().sn()).containsOnly(1);
    }

    /**
     * A receiver with a full window does not advance una while it acknowledges single segments. If the WINS with the last una is lost,
     * nothing is in flight and neither side sends anything. The peer must then be probed and not treated as dead.
     */
    @Test
    void stalledUnaCausesAProbe() {
        DrivenKcp driven = new DrivenKcp(leaks, KcpConfig.fast3());
        DrivenKcp slow = new DrivenKcp(leaks, KcpConfig.fast3().toBuilder().receiveWindow(4).build());
        driven.sendSmall(8);
        driven.flush().forEach(slow::input);
        slow.flush().forEach(driven::input);
        assertThat(driven.kcp.waitingSegments()).isEqualTo(4);
        assertThat(slow.receiveAll()).hasSize(8);
        assertThat(slow.flush()).as("lost on the path").extracting(WireSegment::cmd, WireSegment::una)
            .containsExactly(tuple(WireSegment.WINS, 8));
        for (int second = 0; second < 60 && !driven.kcp.isIdle(); second++) {
            driven.runFor(1_000).forEach(sent -> slow.input(sent.segment()));
            slow.advance(1_000);
            slow.runFor(0).forEach(sent -> driven.input(sent.segment()));
        }
        assertThat(driven.kcp.linkState(driven.nowMs())).isEqualTo(LinkState.ALIVE);
        assertThat(driven.kcp.isIdle()).isTrue();
    }

    // ---- keepalive

    @Test
    void idleConversationHasNoDeadline() {
        DrivenKcp driven = new DrivenKcp(leaks, KcpConfig.fast3());
        assertThat(driven.kcp.nextDeadline(0)).isEqualTo(Kcp.NO_DEADLINE);
        driven.sendSmall(3);
        driven.input(WireSegment.push(0, 0, DATA));
        driven.runFor(10);
        driven.input(WireSegment.ack(2, 0, 3));
        driven.receive();
        driven.runFor(1);
        assertThat(driven.kcp.isIdle()).isTrue();
        assertThat(driven.kcp.nextDeadline(driven.nowMs())).isEqualTo(Kcp.NO_DEADLINE);
        assertThat(driven.runFor(1_000_000)).isEmpty();
        assertThat(driven.kcp.linkState(driven.nowMs())).isEqualTo(LinkState.ALIVE);
    }

    @ParameterizedTest
    @EnumSource(CongestionAlgorithm.class)
    void congestionControlHasNoDeadlineWhenIdle(CongestionAlgorithm algorithm) {
        KcpConfig config = KcpConfig.fast3().toBuilder().congestionControl(algorithm).build();
        DrivenKcp one = new DrivenKcp(leaks, config);
        DrivenKcp other = new DrivenKcp(leaks, config);
        DrivenPair pair = new DrivenPair(one, other, 10, number -> number == 5);
        one.flush();
        one.sendSmall(100);
        pair.runUntilIdle(60_000);
        one.runFor(10_000);
        assertThat(one.kcp.nextDeadline(one.nowMs())).isEqualTo(Kcp.NO_DEADLINE);
    }

    @Test
    void pingIsRepeatedUntilThePeerIsActive() {
        DrivenKcp driven = new DrivenKcp(leaks, KcpConfig.fast3());
        driven.kcp.ping(0);
        List<DrivenKcp.Sent> sent = driven.runUntil(14_999);
        assertThat(sent).filteredOn(each -> each.segment().cmd() == WireSegment.WASK).extracting(DrivenKcp.Sent::atMs)
            .containsExactly(0, 5_000, 10_000);
        assertThat(sent).filteredOn(each -> isProbe(each.segment())).extracting(DrivenKcp.Sent::atMs)
            .containsExactly(0, 5_000, 10_000);
        driven.input(WireSegment.wins(128));
        assertThat(driven.kcp.nextDeadline(driven.nowMs())).isEqualTo(Kcp.NO_DEADLINE);
        assertThat(driven.runFor(60_000)).isEmpty();
    }

    @Test
    void unansweredPingEndsAtDeadPeerTimeout() {
        DrivenKcp driven = new DrivenKcp(leaks, KcpConfig.fast3());
        driven.kcp.ping(0);
        List<DrivenKcp.Sent> sent = driven.runUntil(30_000);
        assertThat(sent).filteredOn(each -> !isProbe(each.segment())).hasSizeBetween(6, 7)
            .allMatch(each -> each.segment().cmd() == WireSegment.WASK);
        assertThat(driven.kcp.linkState(driven.nowMs())).isEqualTo(LinkState.PEER_TIMEOUT);
    }

    @Test
    void echoOfALivenessProbeValidatesThePeer() {
        DrivenKcp driven = new DrivenKcp(leaks, KcpConfig.fast3());
        driven.advance(1_000);
        driven.kcp.ping(driven.nowMs());
        WireSegment probe = driven.flush().stream().filter(WireSegment::isPush).findFirst().orElseThrow();
        driven.input(WireSegment.ack(probe.sn(), probe.ts() - 1, 0));
        assertThat(driven.kcp.isPeerValidated()).as("a guessed ts").isFalse();
        driven.input(WireSegment.ack(probe.sn(), probe.ts(), 0));
        assertThat(driven.kcp.isPeerValidated()).isTrue();
    }

    @Test
    void windowProbeIsAnsweredOnce() {
        DrivenKcp driven = new DrivenKcp(leaks, KcpConfig.fast3().toBuilder().ackNoDelay(false).build());
        driven.input(WireSegment.wask(), WireSegment.wask());
        assertThat(driven.kcp.nextDeadline(0)).isZero();
        assertThat(driven.flush()).extracting(WireSegment::cmd).containsExactly(WireSegment.WINS);
        assertThat(driven.kcp.nextDeadline(0)).isEqualTo(Kcp.NO_DEADLINE);
    }

    /** Returns the liveness probe that is sent with a WASK, which is a duplicate without payload that the peer acknowledges. */
    private static boolean isProbe(WireSegment segment) {
        return segment.isPush() && segment.sn() == -1 && segment.payload().length == 0;
    }

    /** The server has evicted the session that sent the first probe, and probes the client again before it opens another session. */
    @Test
    void probeIsAcknowledgedAfterTheProbeOfAnEvictedSession() {
        DrivenKcp driven = new DrivenKcp(leaks, KcpConfig.fast3());
        driven.sendSmall(1);
        driven.flush();
        for (int ts : new int[] {1_000_000_000, 500_000}) {
            driven.input(WireSegment.push(-1, ts, new byte[0]));
            assertThat(driven.flush()).extracting(WireSegment::cmd, WireSegment::ts).contains(tuple(WireSegment.ACK, ts));
        }
    }
}

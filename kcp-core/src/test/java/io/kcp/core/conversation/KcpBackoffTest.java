package io.kcp.core.conversation;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.CongestionAlgorithm;
import io.kcp.core.KcpConfig;
import io.kcp.core.KcpConfigBuilder;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the maximum time between two retransmissions of a segment while the peer does not respond. */
class KcpBackoffTest {

    private static final int MAX_SUSPENSION_MS = 1_000;
    private static final int DEFAULT_LIMIT_MS = 2_000;
    private static final int OUTAGE_MS = 120_000;

    @RegisterExtension
    final LeakCheck leaks = new LeakCheck();

    /** Returns the times between the transmissions of a segment that the peer never acknowledges. */
    private static List<Integer> waits(DrivenKcp driven) {
        List<Integer> waits = new ArrayList<>();
        driven.sendSmall(1);
        int beforeMs = -1;
        for (DrivenKcp.Sent sent : driven.runFor(OUTAGE_MS)) {
            if (sent.segment().isPush() && sent.segment().payload().length > 0) {
                if (beforeMs >= 0) {
                    waits.add(sent.atMs() - beforeMs);
                }
                beforeMs = sent.atMs();
            }
        }
        return waits;
    }

    private static KcpConfigBuilder settings(boolean noDelay) {
        return KcpConfig.builder().noDelay(noDelay, 10, 2, CongestionAlgorithm.NONE).deadPeerTimeoutMs(0);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void defaultBackoffEndsAtTwoSeconds(boolean noDelay) {
        List<Integer> waits = waits(new DrivenKcp(leaks, settings(noDelay).build()));
        assertThat(waits).isSorted().startsWith(200).endsWith(DEFAULT_LIMIT_MS);
        assertThat(waits).as("transmissions in %d ms", OUTAGE_MS).hasSizeBetween(OUTAGE_MS / DEFAULT_LIMIT_MS, OUTAGE_MS / 1_000);
    }

    @ParameterizedTest
    @ValueSource(ints = {500, 3_000, 6_000})
    void backoffEndsAtTheConfiguredLimit(int limitMs) {
        List<Integer> waits = waits(new DrivenKcp(leaks, settings(false).backoffLimitMs(limitMs).build()));
        assertThat(waits).isSorted().startsWith(200, 400).endsWith(limitMs);
    }

    @Test
    void backoffWithoutLimitGrowsThirtyTwofold() {
        List<Integer> waits = waits(new DrivenKcp(leaks, settings(false).backoffLimitMs(0).build()));
        assertThat(waits).isSorted().startsWith(200, 400, 600).endsWith(32 * 200);
    }

    @Test
    void suspendedTimeoutsRetransmitNothingUntilTheyResume() {
        DrivenKcp driven = new DrivenKcp(leaks, settings(true).build());
        driven.sendSmall(1);
        assertThat(driven.flush()).hasSize(1);
        driven.kcp.suspendTimeouts(true, driven.nowMs());
        driven.advance(MAX_SUSPENSION_MS - 1);
        assertThat(driven.kcp.nextDeadline(driven.nowMs())).as("checked again soon, but not immediately").isBetween(5, 100);
        assertThat(driven.flush()).isEmpty();
        driven.kcp.suspendTimeouts(false, driven.nowMs());
        assertThat(driven.kcp.nextDeadline(driven.nowMs())).isZero();
        assertThat(driven.flush()).extracting(WireSegment::sn).containsExactly(0);
    }

    /** Returns the times of the retransmissions of one segment in a period in which the owner suspends the timeouts before each check. */
    private static List<Integer> retransmissionsWhileSuspended(DrivenKcp driven, boolean resumesBefore, int periodMs) {
        List<Integer> times = new ArrayList<>();
        driven.sendSmall(1);
        driven.flush();
        while (driven.nowMs() < periodMs) {
            driven.advance(10);
            if (resumesBefore) {
                driven.kcp.suspendTimeouts(false, driven.nowMs());
            }
            driven.kcp.suspendTimeouts(true, driven.nowMs());
            if (driven.kcp.nextDeadline(driven.nowMs()) == 0 && !driven.flush().isEmpty()) {
                times.add(driven.nowMs());
            }
        }
        return times;
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void suspensionThatIsRenewedOnEveryCallEndsAfterOneSecond(boolean resumesBefore) {
        DrivenKcp driven = new DrivenKcp(leaks, settings(true).backoffLimitMs(200).build());
        List<Integer> times = retransmissionsWhileSuspended(driven, resumesBefore, 6_000);
        assertThat(times).first().as("the suspension began at 10 ms").isEqualTo(10 + MAX_SUSPENSION_MS);
        int cycleMs = 10 + 2 * MAX_SUSPENSION_MS;
        assertThat(times).as("a second without timeouts, a second with timeouts, and so on")
            .allMatch(ms -> (ms - 1) % cycleMs >= MAX_SUSPENSION_MS);
        for (int cycle = 0; cycle < 3; cycle++) {
            int startMs = cycle * cycleMs;
            assertThat(times.stream().filter(ms -> ms > startMs && ms <= startMs + cycleMs)).as("timeouts of 200 ms").hasSizeBetween(5, 6);
        }
    }

    @Test
    void timeoutsCanBeSuspendedAgainAfterTheyApplied() {
        DrivenKcp driven = new DrivenKcp(leaks, settings(true).build());
        driven.sendSmall(1);
        driven.flush();
        driven.kcp.suspendTimeouts(true, driven.nowMs());
        driven.advance(300);
        assertThat(driven.flush()).isEmpty();
        driven.kcp.suspendTimeouts(false, driven.nowMs());
        assertThat(driven.flush()).hasSize(1);
        driven.advance(900);
        driven.kcp.suspendTimeouts(true, driven.nowMs());
        assertThat(driven.flush()).as("a new suspension, 1,200 ms after the first one began").isEmpty();
    }

    @Test
    void backoffOnLongPathEndsAtTwoRoundTrips() {
        DrivenKcp driven = new DrivenKcp(leaks, settings(false).build());
        int roundTripMs = 1_500;
        for (int sn = 0; sn < 60; sn++) {
            driven.sendSmall(1);
            driven.flush();
            driven.advance(roundTripMs);
            driven.input(WireSegment.ack(sn, driven.nowMs() - roundTripMs, sn + 1));
        }
        assertThat(driven.kcp.smoothedRttMs()).isEqualTo(roundTripMs);
        assertThat(waits(driven)).isSorted().endsWith(2 * roundTripMs);
    }
}

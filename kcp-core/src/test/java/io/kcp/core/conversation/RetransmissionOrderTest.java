package io.kcp.core.conversation;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.EarlyRetransmit;
import io.kcp.core.KcpConfig;
import io.kcp.core.internal.loss.TimeoutRounds;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests which lost segments are retransmitted first, and how many of them in one round trip. */
class RetransmissionOrderTest {

    private static final int BURST_SEGMENTS = 128;
    private static final int ROUND_TRIP_MS = 50;

    @RegisterExtension
    final LeakCheck leaks = new LeakCheck();

    // ---- order

    @Test
    void segmentThatBlocksUnaIsRetransmittedFirst() {
        DrivenKcp driven = new DrivenKcp(leaks, KcpConfig.fast3().toBuilder().adaptiveReordering(false).build());
        driven.sendSmall(10);
        driven.flush();
        driven.advance(200);
        assertThat(flushOne(driven)).containsExactly(0);
        assertThat(flushOne(driven)).containsExactly(1);
        driven.advance(400);
        assertThat(flushOne(driven)).as("lost again after all other segments").containsExactly(0);
        assertThat(flushOne(driven)).containsExactly(2);
    }

    @Test
    void segmentAfterThoseAcknowledgedByNumberBlocksUna() {
        DrivenKcp driven = new DrivenKcp(leaks, KcpConfig.fast3().toBuilder().adaptiveReordering(false).fastResend(0)
            .earlyRetransmit(EarlyRetransmit.OFF).build());
        driven.sendSmall(10);
        driven.flush();
        driven.advance(200);
        assertThat(flushOne(driven)).containsExactly(0);
        assertThat(flushOne(driven)).containsExactly(1);
        assertThat(flushOne(driven)).containsExactly(2);
        driven.input(WireSegment.ack(0, 200, 0), WireSegment.ack(1, 200, 0));
        driven.advance(400);
        assertThat(flushOne(driven)).as("una is still 0, but segment 2 is the first missing one").containsExactly(2);
    }

    private static List<Integer> flushOne(DrivenKcp driven) {
        driven.kcp.flush(driven.nowMs(), 1);
        return driven.output.take().stream().flatMap(datagram -> WireSegment.parse(datagram).stream()).map(WireSegment::sn).toList();
    }

    // ---- number

    @ParameterizedTest
    @ValueSource(ints = {1_024, 16_384})
    void stallOfTheAckPathRetransmitsFewSegmentsPerRoundTrip(int window) {
        DrivenKcp driven = filled(window);
        int stallMs = 2_000;
        List<DrivenKcp.Sent> sent = driven.runFor(stallMs);
        int rounds = stallMs / ROUND_TRIP_MS;
        assertThat(sent).isNotEmpty();
        assertThat(sent.size()).as("retransmissions").isLessThanOrEqualTo(rounds * TimeoutRounds.TIMEOUTS_PER_ROUND);
        for (int from = 0; from < stallMs; from += ROUND_TRIP_MS) {
            int start = sent.get(0).atMs() + from;
            assertThat(sent.stream().filter(each -> each.atMs() >= start && each.atMs() < start + ROUND_TRIP_MS).count())
                .isLessThanOrEqualTo(2L * TimeoutRounds.TIMEOUTS_PER_ROUND);
        }
        driven.input(WireSegment.wins(65_535).withUna(window + 1));
        assertThat(driven.kcp.isIdle()).isTrue();
        assertThat(driven.runFor(10_000)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 10, 20, 30, 40, 50, 60, 70, 80})
    @Tag("slow")
    void earlierAcksPermitNoMoreTimeoutsInAStall(int streamedMs) {
        DrivenKcp driven = filled(1);
        driven.input(WireSegment.wins(65_535).withUna(2));
        int sn = 2;
        int perMs = 20;
        for (int ms = 0; ms < 500 + streamedMs; ms++, sn += perMs) {
            for (int i = 0; i < perMs; i++) {
                driven.send(new byte[] {1});
            }
            driven.flush();
            driven.advance(1);
            int arrived = sn - (ROUND_TRIP_MS - 1) * perMs;
            if (arrived > 2) {
                driven.input(WireSegment.ack(arrived, driven.nowMs() - ROUND_TRIP_MS, arrived + 1).withWnd(65_535));
            }
        }
        assertThat(driven.kcp.waitingSegments()).isBetween(ROUND_TRIP_MS * perMs - 2 * perMs, driven.kcp.config().sendWindow());
        long before = driven.kcp.stats().retransmissions();
        driven.runFor(4 * ROUND_TRIP_MS);
        int rounds = 4 * ROUND_TRIP_MS / driven.kcp.rtoMs() + 2;
        assertThat(driven.kcp.stats().retransmissions() - before).isBetween(1L, (long) rounds * TimeoutRounds.TIMEOUTS_PER_ROUND);
    }

    @Test
    void boundedTimeoutsCauseNoBusyLoop() {
        DrivenKcp driven = filled(1_024);
        int flushes = 0;
        for (int endMs = driven.nowMs() + 1_000; driven.nowMs() < endMs; flushes++) {
            driven.advance(Math.max(driven.kcp.nextDeadline(driven.nowMs()), 0));
            driven.flush();
            assertThat(driven.kcp.nextDeadline(driven.nowMs())).isPositive();
        }
        assertThat(flushes).isLessThan(100);
    }

    @Test
    void lostFlightRecoversInAFewRoundTrips() {
        DrivenKcp driven = filled(1_024);
        DrivenKcp peer = new DrivenKcp(leaks, KcpConfig.fast3().toBuilder().windows(2_048).build());
        peer.input(WireSegment.push(0, 0, new byte[] {0}));
        peer.flush();
        driven.runFor(1_000);
        int startMs = driven.nowMs();
        List<DrivenKcp.Sent> arriving = List.of();
        while (!driven.kcp.isIdle()) {
            assertThat(driven.nowMs() - startMs).isLessThan(10 * ROUND_TRIP_MS);
            arriving.forEach(each -> peer.input(each.segment()));
            peer.receiveAll();
            peer.flush().forEach(driven::input);
            arriving = driven.runFor(ROUND_TRIP_MS);
            peer.advance(ROUND_TRIP_MS);
        }
    }

    /** Returns a conversation with a known round-trip time and the given number of segments in flight. */
    private DrivenKcp filled(int window) {
        DrivenKcp driven = new DrivenKcp(leaks, KcpConfig.fast3().toBuilder().windows(window + 4_000).build());
        driven.sendSmall(1);
        driven.flush();
        driven.advance(ROUND_TRIP_MS);
        driven.input(WireSegment.ack(0, 0, 1).withWnd(65_535));
        driven.sendSmall(window);
        driven.flush();
        if (window > BURST_SEGMENTS) {
            // A large window is spread over the round trip.
            driven.runFor(ROUND_TRIP_MS);
        }
        assertThat(driven.kcp.waitingSegments()).isEqualTo(window);
        return driven;
    }
}

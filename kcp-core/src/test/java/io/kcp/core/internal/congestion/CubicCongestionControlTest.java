package io.kcp.core.internal.congestion;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CubicCongestionControlTest {

    private static final int RTT_MS = 50;
    private static final int SEGMENT_BYTES = 1_400;

    private final CubicCongestionControl cubic = new CubicCongestionControl();
    private final AckReport acks = new AckReport();
    private final LossReport losses = new LossReport();
    private final FlushReport flushed = new FlushReport();
    private final Pacer pacer = new Pacer();
    private int timeMs;
    private long order = 1;

    @Test
    void startsWithTenSegmentsWithoutPacing() {
        assertThat(cubic.maxSegmentsInFlight()).isEqualTo(10);
        assertThat(cubic.pacingBytesPerSecond()).isZero();
    }

    @Test
    void doublesEachRoundTripUntilTheFirstLoss() {
        for (int round = 0; round < 5; round++) {
            int window = (int) cubic.window();
            fill();
            acknowledge(window, RTT_MS);
            assertThat(cubic.window()).isEqualTo(2 * window);
        }
    }

    @Test
    void windowThatIsNotFilledDoesNotGrow() {
        for (int i = 0; i < 100; i++) {
            send(3);
            acknowledge(3, RTT_MS);
        }
        assertThat(cubic.window()).isEqualTo(10);
    }

    @ParameterizedTest
    @ValueSource(ints = {1 << 30, Integer.MAX_VALUE, Integer.MIN_VALUE, -1_000_000})
    void sendsImmediatelyAfterWeeksWithoutAFlush(int laterMs) {
        fill();
        acknowledge(10, RTT_MS);
        long laterUs = (timeMs + Integer.toUnsignedLong(laterMs)) * 1_000;
        assertThat(pacer.msUntilPass(laterUs)).isZero();
        pacer.refill(laterUs, cubic);
        assertThat(pacer.mayPass()).isTrue();
    }

    @Test
    void lossesOfOneRoundReduceTheWindowOnce() {
        grow();
        double before = cubic.window();
        lose(1, 0, false);
        assertThat(cubic.window()).isCloseTo(0.7 * before, within(1e-9));
        lose(3, 1, false);
        assertThat(cubic.window()).as("a loss of a segment sent before the reduction").isCloseTo(0.7 * before, within(1e-9));
        send(1);
        lose(1, 0, false);
        assertThat(cubic.window()).as("a loss of a later round").isCloseTo(0.49 * before, within(1e-9));
    }

    /** Until the segments in flight fit into the reduced window, the queue of the path may still be full. */
    @Test
    void lossOfARetransmissionSentAboveTheReducedWindowReducesTheWindowOnce() {
        grow();
        double before = cubic.window();
        lose(1, 0, false);
        order++;
        flush(1, (int) before, false);
        lose(1, 0, false);
        assertThat(cubic.window()).isCloseTo(0.7 * before, within(1e-9));
        flush(0, (int) (0.7 * before), false);
        send(1);
        lose(1, 0, false);
        assertThat(cubic.window()).as("a later loss").isCloseTo(0.49 * before, within(1e-9));
    }

    @Test
    void paceDoesNotExceedTheReducedWindowDuringRecovery() {
        grow();
        lose(1, 0, false);
        acknowledge(0, RTT_MS, order - 2);
        double perRoundTrip = cubic.window() * SEGMENT_BYTES * 1_000 / RTT_MS;
        assertThat(cubic.pacingBytesPerSecond()).isLessThanOrEqualTo((long) perRoundTrip);
        send(1);
        acknowledge(0, RTT_MS);
        assertThat(cubic.pacingBytesPerSecond()).as("after recovery").isGreaterThan((long) (1.2 * perRoundTrip));
    }

    @Test
    void reductionForSpuriousLossIsUndone() {
        grow();
        double before = cubic.window();
        int event = lose(1, 0, false);
        cubic.onLossResolved(event, true);
        assertThat(cubic.window()).isEqualTo(before);
        cubic.onLossResolved(event, true);
        assertThat(cubic.window()).as("the reduction is undone only once").isEqualTo(before);
        fill();
        acknowledge(10, RTT_MS);
        assertThat(cubic.window()).as("slow start continues").isEqualTo(before + 10);
    }

    @Test
    void secondTimeoutReducesTheWindowToItsMinimum() {
        grow();
        lose(0, 1, false);
        int event = lose(0, 1, true);
        double least = cubic.window();
        assertThat(least).isBetween(2.0, 4.0);
        cubic.onLossResolved(event, true);
        assertThat(cubic.window()).isEqualTo(least);
    }

    @Test
    void windowNeverFallsBelowItsMinimum() {
        for (int i = 0; i < 50; i++) {
            send(1);
            lose(1, 0, false);
        }
        assertThat(cubic.window()).isBetween(2.0, 4.0);
        assertThat(cubic.maxSegmentsInFlight()).isPositive();
    }

    @Test
    void windowReturnsToPlateauAndExceedsIt() {
        grow();
        double before = cubic.window();
        send(1);
        lose(1, 0, false);
        double previous = cubic.window();
        boolean reached = false;
        for (int round = 0; round < 2_000 && cubic.window() < 1.2 * before; round++) {
            fill();
            acknowledge((int) cubic.window(), RTT_MS);
            assertThat(cubic.window()).isGreaterThanOrEqualTo(previous);
            assertThat(cubic.window()).as("growth of at most 50 % per round trip").isLessThanOrEqualTo(1.6 * previous);
            previous = cubic.window();
            reached |= previous >= before;
        }
        assertThat(reached).isTrue();
        assertThat(cubic.window()).isGreaterThanOrEqualTo(1.2 * before);
    }

    @Test
    void slowStartEndsWhenTheDelayRises() {
        for (int round = 0; round < 3; round++) {
            fill();
            acknowledgeOneByOne((int) cubic.window(), RTT_MS);
        }
        double before = cubic.window();
        for (int round = 0; round < 3; round++) {
            fill();
            acknowledgeOneByOne((int) cubic.window(), 2 * RTT_MS);
        }
        assertThat(cubic.window()).as("would be %s in slow start", 8 * before).isLessThan(4 * before);
    }

    @Test
    void reductionIsUndoneOnlyIfAllLossesAreSpurious() {
        grow();
        double before = cubic.window();
        int event = lose(3, 0, false);
        cubic.onLossResolved(event, true);
        cubic.onLossResolved(event, true);
        assertThat(cubic.window()).isCloseTo(0.7 * before, within(1e-9));
        cubic.onLossResolved(event, true);
        assertThat(cubic.window()).as("all three losses were spurious").isEqualTo(before);
    }

    @Test
    void spuriousLossesBesideARealLossUndoNothing() {
        grow();
        double before = cubic.window();
        int event = lose(3, 0, false);
        cubic.onLossResolved(event, true);
        cubic.onLossResolved(event, false);
        cubic.onLossResolved(event, true);
        assertThat(cubic.window()).isCloseTo(0.7 * before, within(1e-9));
    }

    /** On a path that reorders, the next loss is often detected before the previous one turns out to be spurious. */
    @Test
    void overlappingReductionsAreUndoneTogether() {
        grow();
        double before = cubic.window();
        int first = lose(2, 0, false);
        send(1);
        int second = lose(1, 0, false);
        assertThat(cubic.window()).isCloseTo(0.49 * before, within(1e-9));
        cubic.onLossResolved(first, true);
        cubic.onLossResolved(second, true);
        assertThat(cubic.window()).as("one loss may be real").isCloseTo(0.49 * before, within(1e-9));
        cubic.onLossResolved(first, true);
        assertThat(cubic.window()).isEqualTo(before);
    }

    @Test
    void spuriousLossDoesNotUndoAnEarlierReductionForARealLoss() {
        grow();
        double before = cubic.window();
        int first = lose(2, 0, false);
        cubic.onLossResolved(first, false);
        send(1);
        int second = lose(1, 0, false);
        cubic.onLossResolved(first, true);
        assertThat(cubic.window()).as("a loss of the earlier episode").isCloseTo(0.49 * before, within(1e-9));
        cubic.onLossResolved(second, true);
        assertThat(cubic.window()).isCloseTo(0.7 * before, within(1e-9));
    }

    /** Without the earlier epoch, only the additive increase of Reno would be left if a reduction is undone in each round trip. */
    @Test
    void growthContinuesAfterUndoneReductions() {
        double undisturbed = windowAfterUndoneReductions(0);
        assertThat(windowAfterUndoneReductions(40)).isCloseTo(undisturbed, within(0.1 * undisturbed));
    }

    /** Returns the window 60 round trips after a real loss, with undone reductions in the first round trips. */
    private static double windowAfterUndoneReductions(int reductions) {
        CubicCongestionControlTest other = new CubicCongestionControlTest();
        other.grow();
        other.send(1);
        other.cubic.onLossResolved(other.lose(1, 0, false), false);
        for (int round = 0; round < 60; round++) {
            other.growFor(1);
            if (round < reductions && round % 3 == 0) {
                other.cubic.onLossResolved(other.lose(1, 0, false), true);
            }
        }
        return other.cubic.window();
    }

    @Test
    void peerCannotUndoAllReductions() {
        grow();
        double before = cubic.window();
        for (int episode = 0; episode < 100; episode++) {
            send(1);
            cubic.onLossResolved(lose(1, 0, false), true);
        }
        assertThat(cubic.window()).isLessThan(before / 2);
    }

    @Test
    void skippedSegmentsDoNotEndSlowStartInTheFirstRoundTrips() {
        fill();
        acknowledge(10, RTT_MS);
        lose(1, 0, false);
        double reduced = cubic.window();
        assertThat(reduced).isCloseTo(0.7 * 20, within(1e-9));
        fill();
        acknowledge((int) reduced, RTT_MS);
        assertThat(cubic.window()).as("slow start").isCloseTo(2 * reduced, within(1.0));
    }

    /** On a path that reorders datagrams, segments also time out before the acknowledgements of the first round trips have arrived. */
    @Test
    void firstTimeoutDoesNotEndSlowStartInTheFirstRoundTrips() {
        fill();
        acknowledge(2, RTT_MS);
        lose(0, 4, false);
        double reduced = cubic.window();
        fill();
        acknowledge(10, RTT_MS);
        assertThat(cubic.window()).isEqualTo(reduced + 10);
    }

    @Test
    void eachDatagramOfABatchOfAcknowledgementsExtendsTheWindow() {
        fill();
        long last = order - 1;
        for (int i = 9; i >= 0; i--) {
            acknowledge(1, RTT_MS, last - i);
        }
        assertThat(cubic.window()).isEqualTo(20);
        send(3);
        acknowledge(3, RTT_MS);
        assertThat(cubic.window()).as("the window was not full").isEqualTo(20);
    }

    @Test
    void lossRepairedByFecReducesTheWindowForGood() {
        grow();
        double before = cubic.window();
        losses.recovered = 1;
        int event = lose(0, 0, false);
        assertThat(cubic.window()).isCloseTo(0.7 * before, within(1e-9));
        cubic.onLossResolved(event, true);
        assertThat(cubic.window()).isCloseTo(0.7 * before, within(1e-9));
    }

    @Test
    void windowDoesNotJumpAfterThePauseOfAnApplication() {
        double busy = windowAfterPause(0);
        assertThat(windowAfterPause(60_000)).isCloseTo(busy, within(0.05 * busy));
    }

    /** Returns the window a few round trips after a loss, if the application pauses in between. */
    private double windowAfterPause(int pauseMs) {
        CubicCongestionControlTest other = new CubicCongestionControlTest();
        other.grow();
        other.send(1);
        other.lose(1, 0, false);
        other.growFor(5);
        other.flush(0, 0, true);
        other.timeMs += pauseMs;
        other.flush(1, 1, false);
        other.growFor(5);
        return other.cubic.window();
    }

    private void growFor(int rounds) {
        for (int round = 0; round < rounds; round++) {
            fill();
            acknowledge((int) cubic.window(), RTT_MS);
        }
    }

    @Test
    void roundTripsFromBeforeAnIdlePeriodDoNotEndSlowStart() {
        growFor(2);
        acknowledgeOneByOne((int) cubic.window(), RTT_MS);
        flush(0, 0, true);
        timeMs += 60_000;
        double before = cubic.window();
        // The path has become slower during the idle period.
        for (int round = 0; round < 3; round++) {
            fill();
            acknowledgeOneByOne((int) cubic.window(), 2 * RTT_MS);
            flush(0, 0, true);
        }
        assertThat(cubic.window()).as("doubles in each round").isGreaterThanOrEqualTo(8 * before);
    }

    @Test
    void sendingIsPacedOverTheRoundTrip() {
        grow();
        int window = (int) cubic.window();
        int first = sendPaced(timeMs);
        assertThat(first).isLessThan(window);
        int wait = pacer.msUntilPass(timeMs * 1_000L);
        assertThat(wait).isBetween(1, RTT_MS);
        int sent = first;
        for (int ms = 1; ms <= RTT_MS; ms++) {
            int now = sendPaced(timeMs + ms);
            assertThat(ms < wait ? now : 0).isZero();
            sent += now;
        }
        assertThat(sent).as("a whole window in one round trip").isGreaterThanOrEqualTo(window);
    }

    @Test
    void roundTripBelowTwoMillisecondsIsNotPaced() {
        for (int i = 0; i < 1_000; i++) {
            send(10);
            acknowledge(10, 0);
            timeMs++;
        }
        assertThat(cubic.pacingBytesPerSecond()).isZero();
        acknowledge(0, 20);
        pacer.refill(timeMs * 1_000L, cubic);
        assertThat(pacer.msUntilPass(timeMs * 1_000L)).as("delay after the round-trip time became measurable").isZero();
    }

    /** Sends as many segments as the pacer releases. */
    private int sendPaced(int atMs) {
        pacer.refill(atMs * 1_000L, cubic);
        int sent = 0;
        while (pacer.mayPass()) {
            pacer.onSent(SEGMENT_BYTES);
            sent++;
        }
        return sent;
    }

    private void grow() {
        for (int round = 0; round < 4; round++) {
            fill();
            acknowledge((int) cubic.window(), RTT_MS);
        }
    }

    /** Sends a whole window in one call, at a time when pacing permits it. */
    private void fill() {
        timeMs += RTT_MS;
        send((int) cubic.window());
    }

    private void send(int segments) {
        order += segments;
        flush(segments, segments, false);
    }

    private void acknowledge(int segments, int rttMs) {
        acknowledge(segments, rttMs, order - 1);
    }

    private void acknowledge(int segments, int rttMs, long highestOrder) {
        acks.timeMs = timeMs;
        acks.fullSegmentBytes = SEGMENT_BYTES;
        acks.smoothedRttMs = rttMs;
        acks.rttSampleMs = rttMs;
        acks.acknowledged = segments;
        acks.highestAckedOrder = highestOrder;
        acks.nextOrder = order;
        cubic.onAcknowledged(acks);
    }

    private void acknowledgeOneByOne(int segments, int rttMs) {
        long last = order - 1;
        for (int i = 0; i < segments; i++) {
            flush(0, (int) cubic.window(), false);
            acknowledge(1, rttMs, last - segments + 1 + i);
        }
    }

    /** Reports losses and returns the number of the event. */
    private int lose(int skipped, int timedOut, boolean again) {
        losses.event++;
        losses.timeUs = timeMs * 1_000L;
        losses.skipped = skipped;
        losses.timedOut = timedOut;
        losses.timedOutAgain = again;
        losses.newestLostOrder = order - 1;
        losses.nextOrder = order;
        cubic.onLost(losses);
        losses.clear();
        return losses.event;
    }

    private void flush(int sent, int inFlight, boolean unlimited) {
        flushed.timeMs = timeMs;
        flushed.sent = sent;
        flushed.inFlightSegments = inFlight;
        flushed.unlimited = unlimited;
        flushed.nextOrder = order;
        cubic.onFlushed(flushed);
    }
}

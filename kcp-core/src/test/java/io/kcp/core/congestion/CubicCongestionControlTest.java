package io.kcp.core.congestion;

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

    @Test
    void reductionForSpuriousLossIsUndone() {
        grow();
        double before = cubic.window();
        lose(1, 0, false);
        cubic.onSpuriousLoss(order - 1, 1);
        assertThat(cubic.window()).isEqualTo(before);
        cubic.onSpuriousLoss(order - 1, 1);
        assertThat(cubic.window()).as("the reduction is undone only once").isEqualTo(before);
        fill();
        acknowledge(10, RTT_MS);
        assertThat(cubic.window()).as("slow start continues").isEqualTo(before + 10);
    }

    @Test
    void secondTimeoutReducesTheWindowToItsMinimum() {
        grow();
        lose(0, 1, false);
        lose(0, 1, true);
        double least = cubic.window();
        assertThat(least).isBetween(2.0, 4.0);
        cubic.onSpuriousLoss(order - 1, 1);
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
        lose(3, 0, false);
        cubic.onSpuriousLoss(order - 3, 1);
        assertThat(cubic.window()).isCloseTo(0.7 * before, within(1e-9));
        cubic.onSpuriousLoss(order - 2, 1);
        cubic.onSpuriousLoss(order - 1, 1);
        assertThat(cubic.window()).as("all three losses were spurious").isEqualTo(before);
    }

    @Test
    void spuriousLossOfEarlierEpisodeUndoesNothing() {
        grow();
        lose(1, 0, false);
        long firstLost = order - 1;
        send(1);
        lose(1, 0, false);
        double reduced = cubic.window();
        cubic.onSpuriousLoss(firstLost, 1);
        assertThat(cubic.window()).isEqualTo(reduced);
    }

    @Test
    void lossRepairedByFecReducesTheWindowForGood() {
        grow();
        double before = cubic.window();
        losses.recovered = 1;
        lose(0, 0, false);
        assertThat(cubic.window()).isCloseTo(0.7 * before, within(1e-9));
        cubic.onSpuriousLoss(order - 1, 1);
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
        acks.timeMs = timeMs;
        acks.fullSegmentBytes = SEGMENT_BYTES;
        acks.smoothedRttMs = rttMs;
        acks.rttSampleMs = rttMs;
        acks.acknowledged = segments;
        acks.highestAckedOrder = order - 1;
        acks.nextOrder = order;
        cubic.onAcknowledged(acks);
    }

    private void acknowledgeOneByOne(int segments, int rttMs) {
        long last = order - 1;
        for (int i = 0; i < segments; i++) {
            flush(0, (int) cubic.window(), false);
            acks.timeMs = timeMs;
            acks.fullSegmentBytes = SEGMENT_BYTES;
            acks.smoothedRttMs = rttMs;
            acks.rttSampleMs = rttMs;
            acks.acknowledged = 1;
            acks.highestAckedOrder = last - segments + 1 + i;
            acks.nextOrder = order;
            cubic.onAcknowledged(acks);
        }
    }

    private void lose(int skipped, int timedOut, boolean again) {
        losses.skipped = skipped;
        losses.timedOut = timedOut;
        losses.timedOutAgain = again;
        losses.newestLostOrder = order - 1;
        losses.oldestLostOrder = order - Math.max(1, skipped + timedOut);
        losses.nextOrder = order;
        cubic.onLost(losses);
        losses.clear();
    }

    private void flush(int sent, int inFlight, boolean applicationLimited) {
        flushed.timeMs = timeMs;
        flushed.sent = sent;
        flushed.inFlightSegments = inFlight;
        flushed.applicationLimited = applicationLimited;
        flushed.nextOrder = order;
        cubic.onFlushed(flushed);
    }
}

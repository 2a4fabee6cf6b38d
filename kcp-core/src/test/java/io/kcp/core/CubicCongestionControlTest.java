package io.kcp.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CubicCongestionControlTest {

    private static final int RTT_MS = 50;

    private final CubicCongestionControl cubic = new CubicCongestionControl();
    private final AckReport acks = new AckReport();
    private final LossReport losses = new LossReport();
    private int timeMs;
    private long order = 1;

    @Test
    void startsWithTenSegments() {
        assertThat(cubic.allowance(0, 0)).isEqualTo(10);
        assertThat(cubic.allowance(9, 0)).isEqualTo(1);
        assertThat(cubic.allowance(10, 0)).isZero();
        assertThat(cubic.msUntilAllowance(0, 0)).isZero();
        assertThat(cubic.msUntilAllowance(10, 0)).as("only an acknowledgement permits more segments").isEqualTo(Kcp.NO_DEADLINE);
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
        assertThat(cubic.allowance(0, timeMs + laterMs)).isPositive();
        assertThat(cubic.msUntilAllowance(0, timeMs + laterMs)).isZero();
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
        cubic.onSpuriousLoss();
        assertThat(cubic.window()).isEqualTo(before);
        cubic.onSpuriousLoss();
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
        cubic.onSpuriousLoss();
        assertThat(cubic.window()).isEqualTo(least);
    }

    @Test
    void windowNeverFallsBelowItsMinimum() {
        for (int i = 0; i < 50; i++) {
            send(1);
            lose(1, 0, false);
        }
        assertThat(cubic.window()).isBetween(2.0, 4.0);
        assertThat(cubic.allowance(0, 0)).isPositive();
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
    void sendingIsPacedOverTheRoundTrip() {
        grow();
        int window = (int) cubic.window();
        int first = cubic.allowance(0, timeMs);
        send(first);
        assertThat(first).isLessThan(window);
        assertThat(cubic.allowance(0, timeMs)).isZero();
        int wait = cubic.msUntilAllowance(first, timeMs);
        assertThat(wait).isBetween(1, RTT_MS);
        assertThat(cubic.allowance(0, timeMs + wait)).isPositive();
        int sent = first;
        for (int ms = 1; ms <= RTT_MS; ms++) {
            int now = cubic.allowance(0, timeMs + ms);
            send(now);
            sent += now;
        }
        assertThat(sent).as("a whole window in one round trip").isGreaterThanOrEqualTo(window);
    }

    @Test
    void unpacedSegmentsDoNotDelayLaterOnes() {
        for (int i = 0; i < 1_000; i++) {
            send(10);
            acknowledge(10, 0);
            timeMs++;
        }
        acknowledge(0, 20);
        assertThat(cubic.msUntilAllowance(0, timeMs)).as("delay after the round-trip time became measurable").isLessThanOrEqualTo(20);
    }

    @Test
    void paceDoesNotDependOnClockValue() {
        for (int startMs : new int[] {0, 1_000_000_000, -1_000_000_000}) {
            CubicCongestionControl other = new CubicCongestionControl();
            other.onTransmitted(10, 10, startMs);
            acks.timeMs = startMs + RTT_MS;
            acks.smoothedRttMs = RTT_MS;
            acks.rttSampleMs = RTT_MS;
            acks.acknowledged = 10;
            other.onAcknowledged(acks);
            assertThat(other.msUntilAllowance(0, startMs + RTT_MS)).as("clock at %d", startMs).isLessThanOrEqualTo(RTT_MS);
        }
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
        cubic.onTransmitted(segments, segments, timeMs);
    }

    private void acknowledge(int segments, int rttMs) {
        acks.timeMs = timeMs;
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
            cubic.onTransmitted(0, (int) cubic.window(), timeMs);
            acks.timeMs = timeMs;
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
        losses.nextOrder = order;
        cubic.onFlushed(losses);
        losses.skipped = 0;
        losses.timedOut = 0;
        losses.timedOutAgain = false;
    }
}

package io.kcp.core.internal.congestion;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ShortTransferPaceTest {

    private static final long RTT_US = 200_000;
    private static final long BANDWIDTH = 250_000;
    private static final long BYTES = 64_000;

    private final ShortTransferPace flights = new ShortTransferPace();
    private long delivered;
    private long lost;

    private void round(long bytes, boolean congested) {
        flights.onRound(bytes, BANDWIDTH, RTT_US, congested);
    }

    private void rounds(int count, long bytes) {
        for (int i = 0; i < count; i++) {
            round(bytes, false);
        }
    }

    @Test
    void nothingIsKnownBeforeTheFirstTransfer() {
        assertThat(flights.windowBytes()).isZero();
        assertThat(flights.bytesPerSecond()).isZero();
        assertThat(flights.mayBegin(0)).isTrue();
        assertThat(flights.mayBegin(1)).isFalse();
    }

    @Test
    void paceDoublesWithEachTransferUpToASixteenthOfTheRoundTrip() {
        round(BYTES, false);
        assertThat(flights.bytesPerSecond()).isEqualTo(2 * BANDWIDTH);
        round(BYTES, false);
        assertThat(flights.bytesPerSecond()).isEqualTo(4 * BANDWIDTH);
        rounds(10, BYTES);
        assertThat(flights.bytesPerSecond()).isEqualTo(16 * BYTES * 5);
        assertThat(flights.windowBytes()).isEqualTo(BYTES * 5 / 4);
    }

    @Test
    void paceOfLargeTransfersOnAShortPathStaysWithinTheRangeOfThePacer() {
        for (int i = 0; i < 100; i++) {
            flights.onRound(1_000_000, BANDWIDTH, 50, false);
        }
        assertThat(flights.bytesPerSecond()).isEqualTo(BbrCongestionControl.MAX_BYTES_PER_SECOND);
    }

    @Test
    void queueReducesThePaceAndSlowsItsGrowth() {
        rounds(3, BYTES);
        round(BYTES, true);
        assertThat(flights.bytesPerSecond()).isEqualTo(8 * BANDWIDTH * 7 / 10);
        round(BYTES, false);
        assertThat(flights.bytesPerSecond()).isEqualTo(1_540_000);
        for (int i = 0; i < 20; i++) {
            round(BYTES, true);
        }
        assertThat(flights.bytesPerSecond()).as("not below the bandwidth").isEqualTo(BANDWIDTH);
    }

    @Test
    void roundWithFewBytesDoesNotRaiseThePace() {
        round(BYTES, false);
        round(BYTES / 2 - 1, false);
        assertThat(flights.bytesPerSecond()).isEqualTo(2 * BANDWIDTH);
    }

    @Test
    void congestedTransferDoesNotEnlargeTheWindow() {
        round(BYTES, false);
        round(2 * BYTES, true);
        assertThat(flights.windowBytes()).isEqualTo(BYTES * 5 / 4);
    }

    @Test
    void largeTransferIsForgottenAfterThirtyTwoRounds() {
        round(BYTES, false);
        rounds(30, 1_000);
        assertThat(flights.windowBytes()).isEqualTo(BYTES * 5 / 4);
        rounds(2, 1_000);
        assertThat(flights.windowBytes()).isEqualTo(1_250);
    }

    @Test
    void transferBeginsWhileAtMostAnEighthIsInFlight() {
        round(BYTES, false);
        assertThat(flights.mayBegin(BYTES / 8)).isTrue();
        assertThat(flights.mayBegin(BYTES / 8 + 1)).isFalse();
    }

    @Test
    void resetForgetsAllTransfers() {
        rounds(3, BYTES);
        flights.reset();
        assertThat(flights.windowBytes()).isZero();
        assertThat(flights.bytesPerSecond()).isZero();
    }

    /** Adds transfers that lose a share of their segments. Returns the number of rounds that were considered too lossy. */
    private int transfers(int count, double lossShare) {
        int lossy = 0;
        for (int i = 0; i < count; i++) {
            RateSample rate = new RateSample();
            delivered += (long) (BYTES * (1 - lossShare));
            lost += (long) (BYTES * lossShare);
            rate.deliveredBytes = delivered;
            rate.lostBytes = lost;
            boolean excessive = flights.isPaceLossy(rate, 1_000, 0, BANDWIDTH);
            lossy += excessive ? 1 : 0;
            round(BYTES, excessive);
        }
        return lossy;
    }

    @Test
    void lossesAtAHighPaceReduceItAndItThenGrowsSlowly() {
        rounds(4, BYTES);
        long pace = flights.bytesPerSecond();
        assertThat(transfers(8, 0.1)).isEqualTo(2);
        assertThat(flights.bytesPerSecond()).isLessThan(pace * 7 / 10);
        long reduced = flights.bytesPerSecond();
        transfers(8, 0);
        assertThat(flights.bytesPerSecond()).isBetween(reduced * 107 / 100, reduced * 109 / 100);
    }

    /** The first transfers and those after a reduction are sent at the estimated bandwidth, and lose as many segments. */
    @Test
    void lossesThatDoNotDependOnThePaceDoNotKeepItLow() {
        transfers(200, 0.1);
        assertThat(flights.bytesPerSecond()).isGreaterThan(3 * BANDWIDTH);
        assertThat(transfers(50, 0.1)).isZero();
    }

    @Test
    void lossesOfALongTransferDoNotReduceThePace() {
        rounds(4, BYTES);
        RateSample rate = new RateSample();
        rate.deliveredBytes = 10 * BYTES;
        rate.lostBytes = 2 * BYTES;
        assertThat(flights.isPaceLossy(rate, 1_000, 0, BANDWIDTH)).isFalse();
        delivered = rate.deliveredBytes;
        lost = rate.lostBytes;
        assertThat(transfers(3, 0.01)).isZero();
    }
}

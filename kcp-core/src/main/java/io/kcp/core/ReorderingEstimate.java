package io.kcp.core;

/**
 * Measures how strongly the path reorders datagrams: the share of skipped segments that were late rather than lost, and the longest
 * round-trip time. If most skipped segments are lost, they are retransmitted immediately. If most are late, retransmissions are delayed,
 * because they would be spurious.
 */
final class ReorderingEstimate {

    /** Value of {@link #lateShare} if all skipped segments were merely late and none was lost. */
    private static final int ALL = 256;
    /**
     * Number of round trips after which the reordering on the path is considered known. Until then, skipped segments are retransmitted
     * later.
     */
    private static final int LEARNING_ROUNDS = 3;

    private final SlowestRoundTrip slowest = new SlowestRoundTrip();
    /** Moving average of the share of skipped segments that were late rather than lost, from 0 to {@link #ALL}. */
    private int lateShare;
    private boolean anySkipped;
    private long roundEndOrder;
    private int rounds;

    /** Records that a skipped transmission was late or was lost. */
    void onSkipped(boolean late) {
        int outcome = late ? ALL : 0;
        lateShare = anySkipped ? lateShare + (outcome - lateShare >> 3) : outcome;
        anySkipped = true;
    }

    boolean isReordering() {
        return lateShare > ALL / 2;
    }

    /** Records the round-trip time of a transmission. Times above the longest timeout are ignored. */
    void onRoundTrip(int roundTripMs, int timeMs, int smoothedRttMs) {
        if (roundTripMs <= RttEstimator.MAX_RTO_MS) {
            slowest.onSample(roundTripMs, timeMs, smoothedRttMs);
        }
    }

    /** Returns the longest recent round-trip time in milliseconds, or 0 before the first sample. */
    int slowestMs() {
        return slowest.ms();
    }

    /** Counts the round trips. To be called when a later transmission than any before has been acknowledged. */
    void onHighestAcked(long order, long nextOrder) {
        if (order >= roundEndOrder) {
            roundEndOrder = nextOrder;
            rounds++;
        }
    }

    /** Returns the time after its transmission at which a skipped segment is considered lost. */
    int waitMs(int smoothedRttMs) {
        int waitMs = isReordering() ? slowest.ms() + (slowest.ms() >> 4) + 1 : 0;
        if (rounds < LEARNING_ROUNDS) {
            // Waits longer during the first round trips, while the capacity of the path is unknown, because spurious retransmissions would
            // lengthen the queues of the path.
            waitMs = Math.max(waitMs, smoothedRttMs + (rounds <= 1 ? smoothedRttMs : smoothedRttMs >> 2));
        }
        return waitMs;
    }

    /** Forgets the share of late segments. */
    void clear() {
        lateShare = 0;
    }

    /** Forgets the measurements, because the path has changed. */
    void onPathChanged(long nextOrder) {
        slowest.reset();
        lateShare = 0;
        anySkipped = false;
        rounds = 0;
        roundEndOrder = nextOrder;
    }
}

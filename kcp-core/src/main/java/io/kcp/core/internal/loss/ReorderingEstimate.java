package io.kcp.core.internal.loss;

import io.kcp.core.internal.base.ProtocolConstants;

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

    private static final int MIN_PERIOD_MS = 1_000;

    private int slowestOfPeriodMs;
    private int slowestOfPreviousPeriodMs;
    private int periodStartMs;
    private boolean periodStarted;
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
        if (roundTripMs > ProtocolConstants.MAX_RTO_MS) {
            return;
        }
        int periodMs = Math.max(MIN_PERIOD_MS, 4 * smoothedRttMs);
        // The difference is treated as unsigned, because it overflows a signed int after 25 days without a sample.
        long elapsedMs = Integer.toUnsignedLong(timeMs - periodStartMs);
        if (!periodStarted || elapsedMs >= periodMs) {
            slowestOfPreviousPeriodMs = periodStarted && elapsedMs < 2L * periodMs ? slowestOfPeriodMs : 0;
            slowestOfPeriodMs = 0;
            periodStartMs = timeMs;
            periodStarted = true;
        }
        // Limits each sample to four times the smoothed round-trip time, so that a single forged or stray sample cannot prevent timeouts.
        int limitMs = smoothedRttMs == 0 ? roundTripMs : 4 * smoothedRttMs;
        slowestOfPeriodMs = Math.max(slowestOfPeriodMs, Math.min(roundTripMs, limitMs));
    }

    /**
     * Returns the longest round-trip time in milliseconds of the last one to two seconds or of the last four to eight round trips,
     * whichever period is longer, or 0 before the first sample. A smoothed mean does not show the worst case of a path with jitter.
     */
    int slowestMs() {
        return Math.max(slowestOfPeriodMs, slowestOfPreviousPeriodMs);
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
        int waitMs = isReordering() ? slowestMs() + (slowestMs() >> 4) + 1 : 0;
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
        slowestOfPeriodMs = 0;
        slowestOfPreviousPeriodMs = 0;
        periodStarted = false;
        lateShare = 0;
        anySkipped = false;
        rounds = 0;
        roundEndOrder = nextOrder;
    }
}

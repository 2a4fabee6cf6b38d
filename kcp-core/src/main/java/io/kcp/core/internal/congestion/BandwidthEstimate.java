package io.kcp.core.internal.congestion;

/**
 * Estimates the bandwidth of the bottleneck in bytes per second. The estimate is the maximum delivery rate of the current and the previous
 * probing cycle. After congestion, a bound limits the estimate.
 */
final class BandwidthEstimate {

    private static final int CONFIRMING_ROUNDS = 2;
    /** Smaller differences may be caused by the resolution of the samples. */
    private static final double CLEAR_GROWTH = 1.1;

    private long cycle;
    private long previous;
    private boolean cycleSampled;
    private long bound = Long.MAX_VALUE;
    /** {@code true} if the path drops segments above the bound, so that one higher sample does not lift the bound. */
    private boolean held;
    private long roundAbove;
    private long confirmed = Long.MAX_VALUE;
    private int confirmingRounds;

    /** Returns the estimate, or 0 before the first sample. */
    long bytesPerSecond() {
        return Math.min(maximum(), bound);
    }

    /** Returns the estimate without the bound. */
    long maximum() {
        return Math.max(cycle, previous);
    }

    void onSample(long sample, boolean applicationLimited) {
        cycleSampled |= !applicationLimited;
        cycle = Math.max(cycle, sample);
        if (sample > bound) {
            if (!held) {
                bound = sample;
            } else if (sample > bound * CLEAR_GROWTH) {
                roundAbove = Math.max(roundAbove, sample);
            }
        }
    }

    /**
     * Lifts a held bound if the path has delivered more in two consecutive rounds. A policer may deliver more for one round, until its
     * token bucket is empty.
     *
     * @param lossy {@code true} if the losses of the round exceed the losses of the empty path
     */
    void onRoundEnd(boolean lossy) {
        if (roundAbove == 0 || lossy) {
            confirmingRounds = 0;
            confirmed = Long.MAX_VALUE;
        } else {
            confirmed = Math.min(confirmed, roundAbove);
            confirmingRounds++;
            if (confirmingRounds >= CONFIRMING_ROUNDS) {
                bound = Math.max(bound, confirmed);
                confirmingRounds = 0;
                confirmed = Long.MAX_VALUE;
            }
        }
        roundAbove = 0;
    }

    /** Returns {@code true} if one round has exceeded a held bound, and the next round decides whether the bound is lifted. */
    boolean isConfirming() {
        return confirmingRounds > 0;
    }

    /** Limits the estimate after congestion, until a sample exceeds the bound. */
    void limit(long bytesPerSecond) {
        bound = bytesPerSecond;
        held = false;
    }

    /** Limits the estimate until two consecutive rounds exceed the bound. */
    void hold(long bytesPerSecond) {
        bound = Math.min(bytesPerSecond, bytesPerSecond());
        held = true;
        confirmingRounds = 0;
        confirmed = Long.MAX_VALUE;
    }

    /** Limits the estimate to a share of it. */
    void scale(double share) {
        bound = Math.min(bound, (long) (bytesPerSecond() * share));
    }

    /** Replaces the estimate, because the path has changed. */
    void replace(long bytesPerSecond) {
        cycle = bytesPerSecond;
        previous = 0;
        bound = Long.MAX_VALUE;
        held = false;
    }

    /** Ends a probing cycle, unless the application limited all of its samples. */
    void endCycle() {
        if (cycleSampled) {
            previous = cycle;
            cycle = 0;
            cycleSampled = false;
        }
    }
}

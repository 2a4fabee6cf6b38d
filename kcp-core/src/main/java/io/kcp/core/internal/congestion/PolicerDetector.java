package io.kcp.core.internal.congestion;

/**
 * Detects a policer, which drops segments above its rate instead of queueing them. Behind a policer, probes for bandwidth lead to losses
 * although the round trip does not become longer.
 */
final class PolicerDetector {

    private static final int MIN_PROBES = 2;

    /** Number of probes without such losses after which a policer is no longer suspected. A full token bucket lets some probes pass. */
    private static final int SUSPECTED_PROBES = 8;

    private final ExcessLoss excessLoss;
    private int probes;
    private int suspectedProbes;

    PolicerDetector(ExcessLoss excessLoss) {
        this.excessLoss = excessLoss;
    }

    /** Returns the number of consecutive probes that led to losses without a queue. */
    int probes() {
        return probes;
    }

    /** Returns {@code true} if several probes in a row led to losses without a queue. */
    boolean isConfirmed() {
        return probes >= MIN_PROBES;
    }

    /**
     * Adds a round whose segments were sent above the estimated bandwidth. Returns {@code true} if this probe led to losses without a
     * queue.
     */
    boolean isPoliced(double lostSegments, double totalSegments, boolean queued) {
        excessLoss.addWhileProbing(lostSegments, totalSegments);
        if (!excessLoss.hasProbeSample()) {
            return false;
        }
        boolean policed = excessLoss.takeProbeExcess() && !queued;
        probes = policed ? probes + 1 : 0;
        suspectedProbes = policed ? SUSPECTED_PROBES : Math.max(suspectedProbes - 1, 0);
        return policed;
    }

    /** Returns {@code true} if one of the latest probes led to losses without a queue. */
    boolean isSuspected() {
        return suspectedProbes > 0;
    }

    void reset() {
        probes = 0;
        suspectedProbes = 0;
    }
}

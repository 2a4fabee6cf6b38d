package io.kcp.core.internal.congestion;

/** Detects the end of the startup phase, when the bandwidth has stopped growing or a queue shows that the rate exceeds the bandwidth. */
final class StartupEnd {

    private static final double GROWTH_FACTOR = 1.25;
    private static final int FULL_ROUNDS = 3;

    private long fullBandwidth;
    private int fullRounds;

    /** Returns {@code true} if the startup phase ends with this round. */
    boolean isReached(long bandwidth, boolean delayRises) {
        if (delayRises) {
            return true;
        }
        if (bandwidth >= fullBandwidth * GROWTH_FACTOR) {
            fullBandwidth = bandwidth;
            fullRounds = 0;
            return false;
        }
        fullRounds++;
        return fullRounds >= FULL_ROUNDS;
    }

    void reset() {
        fullBandwidth = 0;
        fullRounds = 0;
    }
}

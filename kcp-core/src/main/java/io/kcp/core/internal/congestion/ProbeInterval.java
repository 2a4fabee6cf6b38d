package io.kcp.core.internal.congestion;

/** Chooses the time between two probes for bandwidth at random, so that several conversations do not probe at the same time. */
final class ProbeInterval {

    private static final long MIN_US = 1_000_000;
    private static final int MIN_ROUNDS = 8;
    /** Limit of the time between two probes behind a policer. */
    private static final long MAX_POLICED_US = 8_000_000;
    private static final int MAX_POLICED_SHIFT = 3;

    private long random;

    ProbeInterval(int seed) {
        random = seed * 0x9E3779B97F4A7C15L | 1;
    }

    /**
     * Returns the next interval in microseconds: 8 to 12 round trips, and at least 1 to 1.5 seconds.
     *
     * @param policedProbes the number of consecutive probes that led to losses without a queue, after which probes become less frequent
     */
    long nextUs(long minRttUs, int policedProbes) {
        random ^= random << 13;
        random ^= random >>> 7;
        random ^= random << 17;
        long baseUs = Math.max(MIN_US, MIN_ROUNDS * minRttUs);
        long intervalUs = baseUs + (random >>> 1) % (baseUs >> 1);
        return Math.max(intervalUs, Math.min(intervalUs << Math.min(policedProbes, MAX_POLICED_SHIFT), MAX_POLICED_US));
    }
}

package io.kcp.core.internal.congestion;

/**
 * Interprets the round-trip times of a conversation. Compares the shortest round trip of each round with the minimum of the path, and with
 * the round trips at times when this sender has no queue.
 */
final class QueueDelayEstimate {

    private static final long US_PER_MS = 1_000;
    private static final int DELAY_SAMPLES = 8;
    /** Limit of {@link #crowdingUs}, so that senders do not raise each other's windows without limit. */
    private static final int MAX_CROWDING = 2;

    private final MinRoundTrip minimum = new MinRoundTrip();
    private long roundUs = Long.MAX_VALUE;
    private long roundLongestUs;
    private long lastRoundUs;
    private int samples;
    /** Shortest round trip of rounds in which the own queue was drained, and the mean deviation from it. */
    private long drainedUs;
    private long deviationUs;
    private boolean crowded;
    private long probeUs;

    void onSample(long rttUs, long timeUs) {
        minimum.onSample(rttUs, timeUs);
        probeUs = Math.min(probeUs, rttUs);
        roundUs = Math.min(roundUs, rttUs);
        roundLongestUs = Math.max(roundLongestUs, rttUs);
        samples++;
    }

    boolean isKnown() {
        return minimum.isKnown();
    }

    boolean isStale(long timeUs) {
        return minimum.isStale(timeUs);
    }

    /** Returns the minimum round-trip time in microseconds, or 0 before the first sample. */
    long minimumUs() {
        return minimum.us();
    }

    /**
     * Returns by how much the round trip exceeds the minimum when this sender has no queue, because of jitter or of other senders. The
     * result is at most the minimum, so that senders do not raise each other's windows without limit.
     */
    long excessUs() {
        return Math.min(baseUs() - minimum.us(), minimum.us());
    }

    /**
     * Returns by how much the round trip exceeds the minimum while other senders fill the queue, in which a window of two minimum round
     * trips would not give this sender a fair share. The result is at most twice the minimum, and 0 if the path is not crowded.
     */
    long crowdingUs() {
        return crowded ? Math.min(Math.max(drainedUs - minimum.us(), 0), MAX_CROWDING * minimum.us()) : 0;
    }

    /** Returns {@code true} if other senders or jitter make the round trip at least 50 % longer while this sender has no queue. */
    boolean isCrowded() {
        return crowded;
    }

    private long baseUs() {
        // Ignores a small excess, because data of this sender may still be in the queue.
        return Math.max(drainedUs - Math.max(minimum.us() >> 3, 3 * US_PER_MS), minimum.us());
    }

    /** Returns {@code true} if the round shows a queue of this sender. */
    boolean hasQueue() {
        return samples > 0 && roundUs > baseUs() + Math.max(Math.max(baseUs() >> 3, 3 * US_PER_MS), 2 * deviationUs);
    }

    /** Returns {@code true} if the round shows a queue that is at least half as long as the round trip. */
    boolean hasLongQueue() {
        return samples > 0 && roundUs > baseUs() + (baseUs() >> 1) + 5 * US_PER_MS + 2 * deviationUs;
    }

    /** Returns {@code true} if a queue of this sender delayed at least a part of the round. */
    boolean hasRisen() {
        return roundLongestUs > baseUs() + Math.max(baseUs() >> 3, 5 * US_PER_MS) + 2 * deviationUs;
    }

    /** Returns {@code true} if the previous round showed a short queue of this sender. */
    boolean hadShortQueue() {
        return !crowded && lastRoundUs > baseUs() + Math.max(minimum.us() / 10, 2 * US_PER_MS) + deviationUs;
    }

    /** Returns {@code true} if the round shows that no sender has a queue. */
    boolean isPathEmpty() {
        return samples > 0 && roundUs <= minimum.us() + Math.max(minimum.us() >> 3, 3 * US_PER_MS);
    }

    /** Returns {@code true} if enough samples of the round show that the round trip rises during startup. */
    boolean isRising() {
        return samples >= DELAY_SAMPLES && roundUs > minimum.us() + Math.max(minimum.us() >> 2, 4 * US_PER_MS);
    }

    /** Records the round trip of a round in which this sender had no queue. */
    void onDrained() {
        if (samples < 2) {
            return;
        }
        crowded = roundUs > minimum.us() + (minimum.us() >> 1) + 5 * US_PER_MS;
        if (drainedUs == 0) {
            drainedUs = roundUs;
        }
        deviationUs += Math.abs(roundUs - drainedUs) - deviationUs >> 2;
        drainedUs += roundUs - drainedUs >> 1;
    }

    void onRoundEnd() {
        lastRoundUs = samples > 0 ? roundUs : lastRoundUs;
        roundUs = Long.MAX_VALUE;
        roundLongestUs = 0;
        samples = 0;
    }

    /** Starts to measure the minimum with a drained queue. */
    void startProbe() {
        probeUs = Long.MAX_VALUE;
    }

    /** Replaces the minimum by the shortest round trip since {@link #startProbe}. */
    void endProbe(long timeUs) {
        if (probeUs == Long.MAX_VALUE) {
            minimum.confirm(timeUs);
        } else {
            minimum.replace(probeUs, timeUs);
            drainedUs = 0;
        }
    }
}

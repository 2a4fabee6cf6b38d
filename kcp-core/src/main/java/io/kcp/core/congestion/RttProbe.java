package io.kcp.core.congestion;

/**
 * Decides when the minimum round-trip time is measured with a drained queue, and when the measurement ends. The probe of one sender empties
 * the queue only if no other sender fills it, so each sender joins the probes of others.
 */
final class RttProbe {

    private static final long DURATION_US = 200_000;
    private static final long MIN_INTERVAL_US = 5_000_000;

    private final PathDelay delay;
    private long startUs;
    private boolean drained;
    private boolean othersDrain;

    RttProbe(PathDelay delay) {
        this.delay = delay;
    }

    /**
     * Records the end of a round.
     *
     * @param steady {@code true} if the queue of this sender did not change in the round
     */
    void onRoundEnd(boolean steady) {
        othersDrain = steady && delay.isDrainedByOthers();
    }

    /** Starts a probe and returns {@code true} if one is due. */
    boolean begin(long timeUs) {
        boolean due = delay.isStale(timeUs) || othersDrain && timeUs - startUs > MIN_INTERVAL_US;
        if (due) {
            startUs = timeUs;
            drained = false;
            othersDrain = false;
        }
        return due;
    }

    /** Starts the measurement and returns {@code true} if the data in flight has just become small enough for it. */
    boolean begins(long inFlightBytes, long windowBytes) {
        if (drained || inFlightBytes > windowBytes) {
            return false;
        }
        drained = true;
        delay.startProbe();
        return true;
    }

    /** Returns {@code true} if the measurement is complete, and adopts its result. */
    boolean ends(long elapsedUs, int rounds, long timeUs) {
        boolean complete = drained && elapsedUs >= DURATION_US && rounds >= 1;
        if (complete) {
            delay.endProbe(timeUs);
        }
        return complete;
    }
}

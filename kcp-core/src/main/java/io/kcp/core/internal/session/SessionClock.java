package io.kcp.core.internal.session;

/**
 * Derives the time of a conversation from the caller's clock and ignores backward steps, so that setting the clock back does not delay
 * deadlines. The time is in milliseconds and wraps after 49.7 days, like {@code ts}. Forward steps of more than a quarter of that period
 * are ignored as well.
 */
public final class SessionClock {

    /**
     * Maximum age of a clock reading that is considered merely outdated, such as one taken at the start of a batch. An even older reading
     * shows that the clock was set back.
     */
    private static final int STALE_MS = 1_000;
    /**
     * Maximum forward step of the caller's clock, about twelve days. Because the clock wraps, a longer forward step may in fact be a
     * backward step.
     */
    private static final int LONGEST_MS = 1 << 30;

    private static final int US_PER_MS = 1_000;

    private int callerMs;
    private int timeMs;
    /** Milliseconds since the start of the conversation. Unlike {@link #timeMs}, this time does not wrap. */
    private long elapsedMs;
    private long timeUs;
    private long microsOffset;
    private boolean microsKnown;

    public SessionClock(int nowMs) {
        callerMs = nowMs;
        timeMs = nowMs;
    }

    /** Advances the time of the conversation to the caller's clock and returns it. */
    public int advance(int nowMs) {
        int stepMs = nowMs - callerMs;
        if (stepMs > 0 && stepMs <= LONGEST_MS) {
            timeMs += stepMs;
            elapsedMs += stepMs;
            timeUs = Math.max(timeUs, elapsedMs * US_PER_MS);
            callerMs = nowMs;
        } else if (stepMs < -STALE_MS || stepMs > LONGEST_MS) {
            callerMs = nowMs;
        }
        return timeMs;
    }

    /**
     * Refines the time of the current millisecond with a clock in microseconds. To be called after {@link #advance}. Only the position of
     * this clock within a millisecond counts, because {@link #advance} has already checked the caller's clock for steps.
     */
    public void refine(long nowMicros) {
        long startUs = elapsedMs * US_PER_MS;
        long refinedUs = nowMicros + microsOffset;
        if (!microsKnown || refinedUs < startUs - US_PER_MS || refinedUs >= startUs + 2 * US_PER_MS) {
            // Aligns the milliseconds of the two clocks, which have different origins.
            microsOffset = startUs - nowMicros + Math.floorMod(nowMicros, US_PER_MS);
            microsKnown = true;
            refinedUs = nowMicros + microsOffset;
        }
        timeUs = Math.max(timeUs, Math.min(Math.max(refinedUs, startUs), startUs + US_PER_MS - 1));
    }

    int timeMs() {
        return timeMs;
    }

    /** Returns the resolution of {@link #timeUs} in microseconds, which depends on whether {@link #refine} is called. */
    public int resolutionUs() {
        return microsKnown ? 1 : US_PER_MS;
    }

    /** Returns the time since the start of the conversation in microseconds. It does not wrap and never decreases. */
    public long timeUs() {
        return timeUs;
    }
}

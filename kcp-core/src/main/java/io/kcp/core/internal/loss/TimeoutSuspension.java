package io.kcp.core.internal.loss;

/**
 * Limits the time for which an owner suspends the retransmission timeouts of a conversation. The suspension begins with the first call of
 * {@link #request} and lasts at most {@link #MAX_MS}, even if the owner requests it again and again. Timeouts then apply for at least the
 * same time before the next suspension can begin. An expired timeout is thus delayed by at most {@link #MAX_MS} and the time until the
 * owner's next flush.
 */
public final class TimeoutSuspension {

    /**
     * Maximum time of a suspension in milliseconds. Within this time, an owner that is behind has usually read the datagrams that were
     * waiting. If it has not, the round-trip times of the conversation include the waiting time by then, and so do the timeouts.
     */
    static final int MAX_MS = 1_000;

    private boolean requested;
    /** {@code true} from the beginning of a suspension until a new one can begin. */
    private boolean begun;
    private int begunAtMs;
    /** {@code true} if the suspension has ended because of the limit. */
    private boolean limited;
    /** Time of the first check for timeouts after the limit. */
    private int limitedAtMs;

    void request(boolean suspended, int timeMs) {
        requested = suspended;
        if (suspended && !begun) {
            begun = true;
            begunAtMs = timeMs;
            limited = false;
        }
    }

    boolean isActive(int timeMs) {
        return requested && begun && !limited && timeMs - begunAtMs < MAX_MS;
    }

    /** Records that the conversation has checked its segments for timeouts. To be called only if the suspension is not active. */
    void onChecked(int timeMs) {
        if (limited) {
            begun &= timeMs - limitedAtMs < MAX_MS;
        } else if (requested) {
            limited = true;
            limitedAtMs = timeMs;
        } else {
            begun = false;
        }
    }
}

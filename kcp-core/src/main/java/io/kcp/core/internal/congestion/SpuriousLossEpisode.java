package io.kcp.core.internal.congestion;

/**
 * Counts the losses of an episode until the acknowledgement of each lost segment shows whether the loss was spurious. An episode begins
 * with a reduction of the congestion window. Further reductions belong to the same episode as long as none of its losses is known to be
 * real.
 */
final class SpuriousLossEpisode {

    /**
     * Maximum number of loss episodes treated as spurious in each 10 s period. A peer that always echoes the timestamp of the first
     * transmission makes every loss appear spurious.
     */
    private static final int MAX_SPURIOUS = 16;
    private static final long PERIOD_US = 10_000_000;

    private boolean open;
    private int firstEvent;
    private int unresolved;
    private long periodStartUs;
    private int spuriousEpisodes;

    /** Returns {@code true} if an episode has begun of which no loss is known to be real. */
    boolean isOpen() {
        return open;
    }

    void begin(LossReport report) {
        if (report.timeUs - periodStartUs >= PERIOD_US) {
            periodStartUs = report.timeUs;
            spuriousEpisodes = 0;
        }
        open = spuriousEpisodes < MAX_SPURIOUS;
        firstEvent = report.event;
        unresolved = 0;
    }

    void onLost(LossReport report) {
        unresolved += report.lost();
        // A segment that FEC recovered was lost.
        open &= report.recovered == 0;
    }

    /** Ends the episode, because at least one of its losses was real. */
    void end() {
        open = false;
    }

    /**
     * Records that a loss is known to be real or spurious.
     *
     * @return {@code true} if all losses of the episode were spurious
     */
    boolean onResolved(int event, boolean spurious) {
        if (!open || event - firstEvent < 0) {
            return false;
        }
        unresolved--;
        open = spurious && unresolved > 0;
        if (spurious && unresolved == 0) {
            spuriousEpisodes++;
            return true;
        }
        return false;
    }
}

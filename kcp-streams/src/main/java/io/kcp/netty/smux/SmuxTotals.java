package io.kcp.netty.smux;

import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Counts the streams of several parent channels, for example of all sessions of a server. Unlike the counts of {@link SmuxStats}, these
 * counts include parent channels that have closed. Pass one instance to {@link SmuxHandlerBuilder#totals}. Thread-safe.
 */
public final class SmuxTotals {

    private final LongAdder opened = new LongAdder();
    private final LongAdder accepted = new LongAdder();
    private final LongAdder refused = new LongAdder();
    private final LongAdder closedNormally = new LongAdder();
    private final LongAdder[] failed = new LongAdder[SmuxError.values().length];

    /** Creates counters with the value 0. */
    public SmuxTotals() {
        for (int i = 0; i < failed.length; i++) {
            failed[i] = new LongAdder();
        }
    }

    void onOpened() {
        opened.increment();
    }

    void onAccepted() {
        accepted.increment();
    }

    void onRefused() {
        refused.increment();
    }

    void onClosed(@Nullable SmuxError error) {
        (error == null ? closedNormally : failed[error.ordinal()]).increment();
    }

    /**
     * Returns the number of open streams. The value is approximate while streams open and close.
     *
     * @return at least 0
     */
    public long open() {
        long closed = closed();
        for (LongAdder each : failed) {
            closed += each.sum();
        }
        return Math.max(0, opened() + accepted() - closed);
    }

    /**
     * Returns the number of streams that this side has opened.
     *
     * @return the number since the creation of this object
     */
    public long opened() {
        return opened.sum();
    }

    /**
     * Returns the number of streams that the peers have opened, excluding refused streams.
     *
     * @return the number since the creation of this object
     */
    public long accepted() {
        return accepted.sum();
    }

    /**
     * Returns the number of streams of peers that were refused because {@code maxStreams} was reached or no child handler is set.
     *
     * @return the number since the creation of this object
     */
    public long refused() {
        return refused.sum();
    }

    /**
     * Returns the number of streams that have closed without an error.
     *
     * @return the number since the creation of this object
     */
    public long closed() {
        return closedNormally.sum();
    }

    /**
     * Returns the number of streams that have closed because of the given error.
     *
     * @param error the error
     * @return the number since the creation of this object
     */
    public long closed(SmuxError error) {
        return failed[error.ordinal()].sum();
    }
}

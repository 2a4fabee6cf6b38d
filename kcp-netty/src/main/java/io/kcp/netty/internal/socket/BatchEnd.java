package io.kcp.netty.internal.socket;

import io.netty.util.UncheckedBooleanSupplier;

/** Decides whether a read batch continues, and records why the latest one ended. See {@link ReservedReads}. */
final class BatchEnd {

    private boolean requested;
    private boolean early;
    private boolean atLimit;

    /** Begins a new batch. */
    void reset() {
        requested = false;
        early = false;
        atLimit = false;
    }

    void request() {
        requested = true;
    }

    /**
     * Returns {@code true} if the batch continues.
     *
     * @param mayContinue   whether the limits of the allocator allow another read
     * @param lastBytesRead the bytes of the latest read, which are not positive if it found the socket empty
     * @param maybeMore     whether the transport expects more datagrams
     */
    boolean continues(boolean mayContinue, int lastBytesRead, UncheckedBooleanSupplier maybeMore) {
        boolean continues = !requested && mayContinue;
        boolean leavesDatagrams = !continues && lastBytesRead > 0;
        early = requested && leavesDatagrams;
        atLimit = !requested && leavesDatagrams && maybeMore.get();
        return continues;
    }

    /** Implements {@link ReservedReads#endedEarly}. */
    boolean isEarly() {
        return early;
    }

    /** Implements {@link ReservedReads#endedAtLimit}. */
    boolean isAtLimit() {
        return atLimit;
    }
}

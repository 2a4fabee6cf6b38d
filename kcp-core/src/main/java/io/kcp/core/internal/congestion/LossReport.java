package io.kcp.core.internal.congestion;

/**
 * Summarizes one loss event for {@link CongestionControl}: the losses that one flush detected, or the losses that the peer has recovered
 * with FEC parity, as the acknowledgements of one datagram show. One object is reused for all events.
 */
public final class LossReport {

    /** Number of this loss event. The first event has the number 1, and each later event has the next number. */
    public int event;
    /** Time of the conversation in microseconds. */
    public long timeUs;
    /** The maximum payload of a segment in bytes. */
    public int mssBytes;
    /** Number of segments that are considered lost because later segments were acknowledged. */
    public int skipped;
    /** Number of segments that are considered lost because of a timeout. */
    public int timedOut;
    /** {@code true} if at least one of the timed-out segments had timed out before. */
    public boolean timedOutAgain;
    /**
     * {@code true} if no segment was acknowledged for at least one retransmission timeout after a segment had timed out. The path is then
     * probably interrupted, and the segments sent before no longer count as in flight. The report may contain no lost segments.
     */
    public boolean interrupted;
    /** Number of segments that were lost and that the peer recovered with FEC parity. They need no retransmission (RFC 9265). */
    public int recovered;
    /** Ordinal of the latest lost transmission among all transmissions and retransmissions of the conversation. */
    public long newestLostOrder;
    /** Ordinal of the next transmission. */
    public long nextOrder;
    /** Distance between the oldest unacknowledged segment number and the next segment number to send. */
    public int span;
    /**
     * Minimum, in segments, of the windows that limited the flush: the send window, the peer's receive window and the congestion window.
     */
    public int effectiveWindow;
    /** The setting {@code fastResend} of the conversation. */
    public int fastResend;

    /** Creates an empty report. */
    public LossReport() {
    }

    /** Returns the number of lost segments. */
    public int lost() {
        return skipped + timedOut + recovered;
    }

    /** Removes the losses from this report. */
    public void clear() {
        skipped = 0;
        timedOut = 0;
        timedOutAgain = false;
        interrupted = false;
        recovered = 0;
        newestLostOrder = 0;
    }
}

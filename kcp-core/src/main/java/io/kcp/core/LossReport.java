package io.kcp.core;

/** Summarizes for {@link CongestionControl} the losses that one flush detected. One object is reused for all flushes. */
final class LossReport {

    int mssBytes;
    /** Number of segments that are considered lost because later segments were acknowledged. */
    int skipped;
    /** Number of segments that are considered lost because of a timeout. */
    int timedOut;
    /** {@code true} if at least one of the timed-out segments had timed out before. */
    boolean timedOutAgain;
    /** Ordinal of the latest lost transmission among all transmissions and retransmissions of the conversation. */
    long newestLostOrder;
    long nextOrder;
    /** Distance between the oldest unacknowledged segment number and the next segment number to send. */
    int span;
    /**
     * Minimum, in segments, of the windows that limited the flush: the send window, the peer's receive window and the congestion window.
     */
    int effectiveWindow;
    /** Value of the setting {@link KcpConfig#fastResend()}. */
    int fastResend;
}

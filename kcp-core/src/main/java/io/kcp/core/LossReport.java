package io.kcp.core;

/** Summarises the losses that one flush detected for {@link CongestionControl}. One object is reused for all flushes. */
final class LossReport {

    int mssBytes;
    /** Number of segments that count as lost because later segments were acknowledged. */
    int skipped;
    /** Number of segments that count as lost because of a timeout. */
    int timedOut;
    /** {@code true} if one of the timed-out segments had already timed out before. */
    boolean timedOutAgain;
    /** Number of the newest lost transmission, counted over all transmissions and retransmissions of the conversation. */
    long newestLostOrder;
    long nextOrder;
    /** Distance between the oldest unacknowledged segment number and the next segment number to send. */
    int span;
    /** Window that limited the flush, in segments. */
    int effectiveWindow;
    /** Value of the setting {@link KcpConfig#fastResend()}. */
    int fastResend;
}

package io.kcp.core;

/** The losses that one flush detected, for {@link CongestionControl}. {@link Transmitter} fills the same object for each flush. */
final class LossReport {

    int mssBytes;
    /** Segments that count as lost because later segments were acknowledged. */
    int skipped;
    /** Segments that count as lost because of their timeout. */
    int timedOut;
    /** {@code true} if one of them had already timed out before. */
    boolean timedOutAgain;
    /** Transmission order of the newest lost transmission, and of the next transmission. */
    long newestLostOrder;
    long nextOrder;
    /** Segment numbers from the oldest unacknowledged one to the next one. */
    int span;
    /** The window that limited this flush, in segments. */
    int effectiveWindow;
    /** The setting {@link KcpConfig#fastResend()}. */
    int fastResend;
}

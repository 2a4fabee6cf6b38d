package io.kcp.core;

/** What a {@link CongestionControl} is told: filled by {@link Kcp}, reused for every datagram and flush. */
final class FlightReport {

    int timeMs;
    int smoothedRttMs;
    int mssBytes;

    /** Segments acknowledged for the first time by this datagram. */
    int acknowledged;
    boolean unaAdvanced;
    int remoteWindow;
    /** Round trip measured by this datagram, -1 if none. */
    int rttSampleMs;
    long highestAckedOrder;

    /** Segments found lost by this flush. */
    int skipped;
    int timedOut;
    /** Whether one of them had timed out before: nothing gets through. */
    boolean timedOutAgain;
    long newestLostOrder;
    long nextOrder;
    /** Segments between the oldest unacknowledged and the next number. */
    int span;
    /** The window that this flush worked with, in segments. */
    int effectiveWindow;
    int fastResend;
}

package io.kcp.core;

/** The acknowledgements of one datagram, for {@link CongestionControl}. {@link Transmitter} fills the same object for each datagram. */
final class AckReport {

    int timeMs;
    int smoothedRttMs;
    int mssBytes;
    /** Segments that the datagram acknowledged for the first time. */
    int acknowledged;
    /** {@code true} if {@code una} moved the start of the send window. */
    boolean unaAdvanced;
    /** The peer's receive window in segments. */
    int remoteWindow;
    /** Round-trip time that the datagram shows, in milliseconds; -1 if there is none. */
    int rttSampleMs;
    /** Transmission order of the latest acknowledged transmission, and of the next transmission. */
    long highestAckedOrder;
    long nextOrder;
}

package io.kcp.core;

/** Summarizes the acknowledgements of one datagram for {@link CongestionControl}. One object is reused for all datagrams. */
final class AckReport {

    int timeMs;
    int smoothedRttMs;
    int mssBytes;
    /** Number of segments that the datagram newly acknowledged. */
    int acknowledged;
    /** {@code true} if the datagram advanced {@code una}, the start of the send window. */
    boolean unaAdvanced;
    /** The peer's receive window in segments. */
    int remoteWindow;
    /** Round-trip time in milliseconds, measured with an ACK in the datagram, or -1 if there is no sample. */
    int rttSampleMs;
    /** Ordinal of the latest acknowledged transmission among all transmissions and retransmissions of the conversation. */
    long highestAckedOrder;
    long nextOrder;
}

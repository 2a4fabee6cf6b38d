package io.kcp.core.internal.congestion;

/** Summarizes the acknowledgements of one datagram for {@link CongestionControl}. One object is reused for all datagrams. */
public final class AckReport {

    /** Time of the conversation in milliseconds. */
    public int timeMs;
    /** Time of the conversation in microseconds. */
    public long timeUs;
    /** The smoothed round-trip time in milliseconds. */
    public int smoothedRttMs;
    /** Round-trip time in milliseconds, measured with an ACK in the datagram, or -1 if there is no sample. */
    public int rttSampleMs = -1;
    /** The maximum payload of a segment in bytes. */
    public int mssBytes;
    /** The size of a segment with the maximum payload, including its header, in bytes. */
    public int fullSegmentBytes;
    /** Number of segments that the datagram newly acknowledged. */
    public int acknowledged;
    /** {@code true} if the datagram advanced {@code una}, the start of the send window. */
    public boolean unaAdvanced;
    /** {@code true} if the peer may acknowledge the segments of a bulk transfer together, because it uses this library as well. */
    public boolean peerDelaysAcks;
    /** The peer's receive window in segments. */
    public int remoteWindow;
    /** Ordinal of the latest acknowledged transmission among all transmissions and retransmissions of the conversation. */
    public long highestAckedOrder;
    /** Ordinal of the next transmission. */
    public long nextOrder;

    /** The measurement of the delivery rate. It is filled only for algorithms that use it. */
    public final RateSample rate = new RateSample();

    /** Creates an empty report. */
    public AckReport() {
    }
}

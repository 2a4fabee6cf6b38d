package io.kcp.core.internal.congestion;

/** Describes the sending side after a flush for {@link CongestionControl}. One object is reused for all flushes. */
public final class FlushReport {

    /** Time of the conversation in milliseconds. */
    public int timeMs;
    /** Time of the conversation in microseconds. */
    public long timeUs;
    /** The maximum payload of a segment in bytes. */
    public int mssBytes;
    /** Number of segments that the flush sent, including retransmissions. */
    public int sent;
    /** Number of segments in flight after the flush, without those that an interruption of the path has presumably lost. */
    public int inFlightSegments;
    /**
     * {@code true} if neither the congestion window nor pacing limited the flush, because no data waits or because the send window or the
     * peer's window is full.
     */
    public boolean unlimited;
    /** Ordinal of the next transmission. */
    public long nextOrder;

    /** Creates an empty report. */
    public FlushReport() {
    }
}

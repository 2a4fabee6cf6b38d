package io.kcp.core.internal.congestion;

/**
 * A measurement of the delivery rate, taken with the acknowledgements of one datagram (draft-cheng-iccrg-delivery-rate-estimation). The
 * sample spans the time from the transmission of the latest acknowledged segment until now. All byte counts include segment headers.
 */
public final class RateSample {

    /** Number of bytes that the datagram newly acknowledged. */
    public long acknowledgedBytes;
    /** Number of bytes that the peer has acknowledged since the start of the conversation. */
    public long deliveredBytes;
    /** Number of bytes considered lost since the start of the conversation, without spurious losses. */
    public long lostBytes;
    /** Number of bytes in flight. */
    public long inFlightBytes;
    /** Round-trip time in microseconds, or -1 if the datagram contains no ACK of the latest transmission of a segment. */
    public long rttUs = -1;

    /** Resolution of the clock in microseconds. */
    public long resolutionUs = 1;

    /** {@code true} if the following fields are valid. */
    public boolean valid;
    /** Value of {@link #deliveredBytes} at the transmission of the latest acknowledged segment. */
    public long priorDeliveredBytes;
    /** Number of bytes considered lost since that transmission. */
    public long lostSinceBytes;
    /** The longer one of the times in which the delivered bytes were sent and acknowledged, in microseconds. */
    public long intervalUs;
    /** {@code true} if the conversation did not use the full window or pacing rate before that transmission. */
    public boolean applicationLimited;

    /** Creates a sample without measurements. */
    public RateSample() {
    }

    /** Returns the number of bytes delivered within {@link #intervalUs}. */
    public long deliveredSinceBytes() {
        return deliveredBytes - priorDeliveredBytes;
    }
}

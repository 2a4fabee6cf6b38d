package io.kcp.core.internal.memory;

/**
 * State of {@code DeliveryRate} at the latest transmission of a segment. A separate object keeps segments small, because only conversations
 * with BBR use it. Times and byte counts are the low 32 bits of microseconds and bytes.
 */
public final class DeliveryStamp {

    public int sentAtUs;
    public int firstSentAtUs;
    public int deliveredAtUs;
    public int deliveredBytes;
    public int lostBytes;
    public boolean applicationLimited;
    /** Value of {@link Segment#order} when the segment was most recently considered lost, or 0. */
    public long lostOrder;
}

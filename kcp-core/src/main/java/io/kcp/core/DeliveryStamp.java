package io.kcp.core;

/**
 * State of {@link DeliveryRate} at the latest transmission of a segment. A separate object keeps segments small, because only conversations
 * with BBR use it. Times and byte counts are the low 32 bits of microseconds and bytes.
 */
final class DeliveryStamp {

    int sentAtUs;
    int firstSentAtUs;
    int deliveredAtUs;
    int deliveredBytes;
    int lostBytes;
    boolean applicationLimited;
    /** Value of {@link Segment#order} when the segment was most recently considered lost, or 0. */
    long lostOrder;
}

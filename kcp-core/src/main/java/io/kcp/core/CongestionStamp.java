package io.kcp.core;

/**
 * State of congestion control at the latest transmission of a segment. A separate object keeps segments small, because only conversations
 * with congestion control use this state. Times and byte counts are the low 32 bits of microseconds and bytes.
 */
final class CongestionStamp {

    /** Value of {@link Segment#order} when the segment was most recently considered lost, or 0. */
    long lostOrder;
    int sentAtUs;
    int firstSentAtUs;
    int deliveredAtUs;
    int deliveredAtSend;
    int lostAtSend;
    int inFlightAtSend;
    boolean applicationLimited;
}

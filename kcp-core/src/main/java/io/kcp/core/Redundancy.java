package io.kcp.core;

/**
 * Determines whether copies of unacknowledged segments are appended to datagrams that have room for them. If a datagram is lost, one of
 * the next datagrams then delivers its segments without a retransmission. Every KCP implementation drops the duplicates. RFC 2198 defines
 * the same kind of redundancy for audio.
 *
 * <p>Copies cause no additional datagrams unless {@link KcpConfig#redundancyDelayMs()} is set, and never enlarge a datagram beyond
 * {@link KcpConfig#FALLBACK_MTU_BYTES}. With {@code redundancyDelayMs}, the copy of a larger segment is sent in a datagram of its own. At
 * most two copies of each segment are sent, each in a later datagram than the segment itself. A segment that is acknowledged is not copied
 * any more.
 */
public enum Redundancy {
    /** Sends no copies. */
    OFF,
    /** Starts to send copies when the path loses more than 1 % of the segments, and stops when it loses less than 0.25 %. */
    ADAPTIVE,
    /** Sends copies at any loss rate. */
    ON
}

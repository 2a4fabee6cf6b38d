package io.kcp.core;

/**
 * Rules for retransmitting a segment before its timeout and before {@link KcpConfig#fastResend()} later transmissions have been
 * acknowledged.
 */
public enum EarlyRetransmit {
    /**
     * Disables early retransmission. A segment is retransmitted only after {@link KcpConfig#fastResend()} acknowledgements of later
     * transmissions or after its timeout.
     */
    OFF,
    /**
     * Retransmits a segment once a later transmission has been acknowledged and the segment has been in flight for 1.25 round-trip times
     * and for longer than the reordering measured on the path.
     */
    AFTER_REORDER_WINDOW,
    /**
     * Like kcp-go, retransmits a segment at the next interval after a later transmission has been acknowledged, provided that no new
     * segment can be sent. Reordering on the path makes many of these retransmissions spurious.
     */
    FIRST_SKIP
}

package io.kcp.core;

/**
 * Rules for retransmitting a segment before its timeout although fewer than {@link KcpConfig#fastResend()} acknowledgements have skipped
 * it.
 */
public enum EarlyRetransmit {
    /** Disables early retransmission. A segment is retransmitted only after {@link KcpConfig#fastResend()} skips or after its timeout. */
    OFF,
    /**
     * Retransmits a segment after one skip, once it has been in flight for 1.25 round-trip times and for longer than the reordering
     * measured on the path.
     */
    AFTER_REORDER_WINDOW,
    /**
     * Retransmits a segment at the next interval after one skip if no new segment can be sent, as in kcp-go. Reordering on the path makes
     * many of these retransmissions spurious.
     */
    FIRST_SKIP
}

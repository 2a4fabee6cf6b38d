package io.kcp.core;

/** When a segment is retransmitted before its timeout that fewer than {@link KcpConfig#fastResend()} acknowledgements have skipped. */
public enum EarlyRetransmit {
    /** Never. Only enough skips or the timeout cause a retransmission. */
    OFF,
    /** After one skip, when the segment is older than one and a quarter round trips and than the reordering measured on the path. */
    AFTER_REORDER_WINDOW,
    /** At the next tick after one skip if no new segment can be sent, as in kcp-go. Reordering causes many spurious ones. */
    FIRST_SKIP
}

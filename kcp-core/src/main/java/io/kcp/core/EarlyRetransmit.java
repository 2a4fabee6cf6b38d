package io.kcp.core;

/** When a segment that fewer than {@link KcpConfig#fastResend()} acknowledgements skipped is sent again before its timeout. */
public enum EarlyRetransmit {
    /** Never: only enough skips or the timeout. */
    OFF,
    /** When one was skipped and a quarter of a round trip (or the reordering seen on this path) has passed since. */
    AFTER_REORDER_WINDOW,
    /** At the next tick after one skip if there is nothing new to send: kcp-go's rule, costly under reordering. */
    FIRST_SKIP
}

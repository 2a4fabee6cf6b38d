package io.kcp.core;

/** Whether a conversation can continue. Every state except {@link #ALIVE} is final, and the owner closes the conversation. */
public enum LinkState {
    /** The conversation can continue. */
    ALIVE,
    /** No verified datagram was received for {@link KcpConfig#deadPeerTimeoutMs()} while data or a probe was unanswered. */
    PEER_SILENT,
    /** One segment was transmitted {@link KcpConfig#maxTransmissions()} times. */
    TRANSMISSIONS_EXHAUSTED,
    /** The peer answered, but accepted no data for {@link KcpConfig#zeroWindowTimeoutMs()} although data was queued. */
    PEER_NOT_READING
}

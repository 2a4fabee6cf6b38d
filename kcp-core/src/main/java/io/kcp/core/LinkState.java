package io.kcp.core;

/**
 * The state of a conversation, which shows whether the conversation can continue. Every state except {@link #ALIVE} is final and requires
 * the owner to close the conversation.
 */
public enum LinkState {
    /** The conversation can continue. */
    ALIVE,
    /** No verified datagram was received for {@link KcpConfig#deadPeerTimeoutMs()} while data or a probe was unacknowledged. */
    PEER_TIMEOUT,
    /** One segment was transmitted {@link KcpConfig#maxTransmissions()} times without an acknowledgement. */
    TRANSMISSIONS_EXHAUSTED,
    /** The peer responded, but accepted no data for {@link KcpConfig#zeroWindowTimeoutMs()} although data was queued. */
    PEER_NOT_READING,
    /** The peer accepted waiting data more slowly than {@link KcpConfig#minDrainBytesPerSecond()}. */
    PEER_TOO_SLOW,
    /**
     * The peer sent many fragments that are inconsistent or belong to messages that exceed the limits of this side, and its datagrams are
     * authenticated. See {@link KcpOutput#authenticatesPeer()}.
     */
    PROTOCOL_ERROR
}

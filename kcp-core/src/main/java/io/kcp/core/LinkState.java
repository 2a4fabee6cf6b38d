package io.kcp.core;

/**
 * The state of a conversation, which shows whether the conversation can continue. Every state except {@link #ALIVE} is final and requires
 * the owner to close the conversation.
 */
public enum LinkState {
    /** The conversation can continue. */
    ALIVE,
    /**
     * For {@link KcpConfig#deadPeerTimeoutMs()}, no verified datagram was received while data or a probe was unacknowledged, or the peer
     * was active but did not acknowledge the oldest segment although its window was open and the segment was sent at least five times.
     */
    PEER_TIMEOUT,
    /** One segment was transmitted {@link KcpConfig#maxTransmissions()} times without an acknowledgement. */
    TRANSMISSIONS_EXHAUSTED,
    /** The peer responded, but kept its window closed and accepted no data for {@link KcpConfig#zeroWindowTimeoutMs()}. */
    PEER_NOT_READING,
    /** The peer accepted waiting data more slowly than {@link KcpConfig#minDrainBytesPerSecond()}. */
    PEER_TOO_SLOW,
    /**
     * The peer sent many fragments that are inconsistent or belong to messages that exceed the limits of this side, and its datagrams are
     * authenticated. See {@link KcpOutput#authenticatesPeer()}.
     */
    PROTOCOL_ERROR
}

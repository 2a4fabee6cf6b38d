package io.kcp.core;

/** Whether a conversation can go on. Anything but {@link #ALIVE} is final: its owner closes it. */
public enum LinkState {
    /** No reason to give up. */
    ALIVE,
    /** Nothing valid was heard for {@link KcpConfig#deadPeerTimeoutMs()} while something was outstanding. */
    PEER_SILENT,
    /** One segment was transmitted {@link KcpConfig#maxTransmissions()} times. */
    TRANSMISSIONS_EXHAUSTED,
    /** The peer answered but kept its window at 0 for {@link KcpConfig#zeroWindowTimeoutMs()} while data waited. */
    PEER_NOT_READING
}

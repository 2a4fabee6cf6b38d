package io.kcp.core;

/**
 * Result of {@link io.kcp.core.conversation.PeerPath#examine PeerPath.examine} and {@link io.kcp.core.conversation.PeerPath#examineAnswer
 * PeerPath.examineAnswer}, which check whether the peer of a conversation has sent a datagram from an unknown address.
 */
public enum PathProof {
    /** The datagram proves nothing because it echoes no timestamp of this conversation, may be a replay, or is malformed. */
    NONE,
    /**
     * The datagram acknowledges a segment with a timestamp that the segment never had, or a challenge that was never sent. Its sender has
     * guessed the numbers.
     */
    WRONG_ECHO,
    /** The datagram echoes numbers that this side sent to the peer, and it is not a replay. */
    PROOF
}

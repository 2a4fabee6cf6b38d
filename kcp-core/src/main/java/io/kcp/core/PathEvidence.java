package io.kcp.core;

/** Result of {@link PeerPath#examine}, which checks whether the peer of a conversation has sent a datagram from an unknown address. */
public enum PathEvidence {
    /** The datagram proves nothing because it echoes no timestamp of this conversation, may be a replay, or is malformed. */
    NONE,
    /** The datagram acknowledges a segment with a timestamp that the segment never had. Its sender has guessed the timestamp. */
    WRONG_ECHO,
    /** The datagram echoes a timestamp that this side sent to the peer's previous address, and it is not a replay. */
    PROOF
}

package io.kcp.netty;

/**
 * The reason why a datagram was dropped. Dropping a datagram never closes a channel and never throws an exception, and only
 * {@link #DECRYPTION_FAILED} is logged.
 */
public enum DropReason {
    /**
     * The cipher could not decrypt the datagram, because it was encrypted with another key or not at all, truncated, or modified in transit
     * (InCsumErrors in kcp-go). Such a datagram is logged at level INFO with its sender, at most once per minute for each listener.
     */
    DECRYPTION_FAILED,
    /** The datagram was encrypted by this side itself, and an attacker on the path sent it back. Occurs only with a cipher. */
    REFLECTED,
    /** The datagram is not KCP: it is shorter than a header, has an unknown command, or specifies a length beyond its end. */
    NOT_KCP,
    /** The datagram is KCP, but it belongs to no session of this channel and cannot open one. */
    NO_SESSION,
    /** The datagram belongs to a recently closed session. */
    CLOSED_SESSION,
    /** The datagram would open a session, but the maximum number of sessions is already open. */
    SESSION_LIMIT,
    /** The datagram would open a session, but its source address already has the maximum number of sessions. */
    ADDRESS_LIMIT,
    /** The datagram would open a session, but the {@link AcceptFilter} refused it. */
    FILTERED,
    /** The datagram would open a session, but the server is closing. */
    CLOSING,
    /**
     * The datagram would open a session, but an identical datagram was received earlier. Either an attacker replayed that datagram or the
     * network duplicated it.
     */
    REPLAYED,
    /**
     * The datagram would open a session, but the setup of the session failed because its initializer or handler threw an exception or
     * closed the session, or because an option was invalid. After several such failures in a row, further datagrams are refused for a while
     * and counted with this reason, too.
     */
    SETUP_FAILED,
    /** Memory ran out while the datagram was received or processed. */
    OUT_OF_MEMORY,
    /** The datagram is FEC parity from an address that has no session. */
    STRAY_PARITY,
    /**
     * The datagram is FEC parity whose sequence number is far from those of the data shards that the sessions of its source address
     * received most recently. This includes parity that arrives before the first data shard, and parity after a gap of more than eight
     * groups, until the next data shards arrive.
     */
    FAR_PARITY,
    /** The datagram was recovered by FEC, but its session no longer exists. */
    STRAY_RECOVERED,
    /** The datagram belongs to a session, but is malformed after its first segment. */
    MALFORMED,
    /** The datagram belongs to a session, but it acknowledges a segment that was never sent. */
    FORGED_ACKNOWLEDGEMENT,
    /**
     * The datagram has the form of a close notice for an existing session, but does not contain the random number that this side has sent
     * to its peer. It is forged, or it is a replay from an earlier session.
     */
    FORGED_CLOSE_NOTICE
}

package io.kcp.netty;

/**
 * The reason why a datagram was dropped. Dropping a datagram never closes a channel and never throws an exception, and only
 * {@link #UNDECIPHERED} is logged.
 */
public enum DropReason {
    /**
     * The cipher could not open the datagram: it was sealed with another key or not at all, truncated, or modified in transit
     * (InCsumErrors). Logged at level INFO with the sender, at most once per minute for each listener.
     */
    UNDECIPHERED,
    /** This side sealed the datagram itself, and an attacker on the path sent it back. Occurs only with a cipher. */
    REFLECTED,
    /** The datagram is not KCP: it is shorter than a header, has an unknown command, or specifies a length beyond its end. */
    NOT_KCP,
    /** The datagram is KCP, but it belongs to no session of this channel and cannot open one. */
    NO_SESSION,
    /** The datagram belongs to a session that was closed a short while ago. */
    CLOSED_SESSION,
    /** The datagram would open a session, but the maximum number of sessions is already open. */
    SESSION_LIMIT,
    /** The datagram would open a session, but its address already has the maximum number of sessions. */
    ADDRESS_LIMIT,
    /** The datagram would open a session, but the {@link AcceptFilter} refused it. */
    FILTERED,
    /** The datagram would open a session, but the server is closing. */
    CLOSING,
    /** The datagram would open a session, but it was received before: it was recorded and replayed, or duplicated on the path. */
    REPLAYED,
    /**
     * The datagram would open a session, but the session could not be set up: its initializer or handler threw an exception or closed it,
     * or an option was refused. Also counts datagrams that are refused after several such failures in a row.
     */
    SETUP_FAILED,
    /** Memory ran out while the datagram was read or before it could be read. */
    OUT_OF_MEMORY,
    /** FEC parity from an address that has no session. */
    STRAY_PARITY,
    /**
     * FEC parity from an address that has sessions, whose sequence number is far from those of the data shards that these sessions
     * received last. This includes the first parity after a gap of more than eight groups, until data shards follow, and parity that
     * arrives before the first data shard.
     */
    FAR_PARITY,
    /** The datagram was recovered by FEC, but its session no longer exists. */
    STRAY_RECOVERED,
    /** The datagram belongs to a session, but is malformed after its first segment. */
    MALFORMED,
    /** The datagram belongs to a session, but it acknowledges a segment that was never sent. */
    FORGED_ACKNOWLEDGEMENT
}

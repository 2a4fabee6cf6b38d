package io.kcp.netty;

/** Why a datagram was dropped. None of these reasons closes or throws, and only {@link #UNDECIPHERED} logs. */
public enum DropReason {
    /**
     * Sealed under another key or not at all, cut off, or changed on its way (InCsumErrors). Logged at INFO, with the sender, at most
     * once a minute for each listener.
     */
    UNDECIPHERED,
    /** Sealed by this side itself and sent back by somebody on the path. Only under a cipher. */
    REFLECTED,
    /** Not KCP: shorter than a header, an unknown command, or a length beyond its end. */
    NOT_KCP,
    /** KCP, but of no session here, and nothing that may open one. */
    NO_SESSION,
    /** Of a session that was closed a short while ago. */
    CLOSED_SESSION,
    /** Would open a session, but there are as many as allowed. */
    SESSION_LIMIT,
    /** Would open a session, but the address has as many as allowed. */
    ADDRESS_LIMIT,
    /** Would open a session, but the {@link AcceptFilter} refused. */
    FILTERED,
    /** Would open a session, but the server is closing. */
    CLOSING,
    /** Would open a session, but came before: a recording sent again, or a copy made on the way. */
    REPLAYED,
    /**
     * Would open a session, but that could not be set up: its initializer or handler threw or closed it, or an option was refused.
     * Also counts what is refused after several such failures in a row.
     */
    SETUP_FAILED,
    /** Read, or about to be read, when memory ran out. */
    OUT_OF_MEMORY,
    /** FEC parity of an address that has no session. */
    STRAY_PARITY,
    /**
     * FEC parity of an address that has sessions, but far from the data shards that these received last. So is the first parity
     * after a gap of more than eight groups, until data shards follow, and parity that comes before the first data shard.
     */
    FAR_PARITY,
    /** Made by FEC, but of a session that is gone. */
    STRAY_RECOVERED,
    /** For a session, but malformed beyond its first segment. */
    MALFORMED,
    /** For a session, but it acknowledges what was never sent. */
    FORGED_ACKNOWLEDGEMENT
}

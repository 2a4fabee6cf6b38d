package io.kcp.netty;


/**
 * The reason why a datagram was dropped. Dropping a datagram never closes a channel and never throws an exception. Only {@link
 * #DECRYPTION_FAILED}, {@link #SOURCE_RATE}, {@link #DECRYPTION_BUDGET}, {@link #FIRST_ARRIVAL}, {@link #UNPROVEN_ADDRESS},
 * {@link #OPENING_RATE} and {@link #OPENING_QUEUE_FULL} are logged, each at most once per minute for each listener, at level INFO.
 */
public enum DropReason {
    /**
     * The cipher could not decrypt the datagram, because it was encrypted with another key or not at all, truncated, or modified in
     * transit (InCsumErrors in kcp-go). Such a datagram is logged at level INFO with its sender, at most once per minute for each
     * listener.
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
     * The datagram would open a session, but the server is under load or the IP address has as many sessions as permitted, and the address
     * has opened more sessions per second than {@link io.kcp.netty.bootstrap.AbstractKcpServerBuilder#unknownDatagramsPerSecond
     * unknownDatagramsPerSecond} permits.
     */
    SOURCE_RATE,
    /**
     * The datagram came from an address without a session, or from an address from which many datagrams could not be decrypted, and the
     * event loop had already spent {@link io.kcp.netty.bootstrap.AbstractKcpServerBuilder#unknownDecryptionPercent
     * unknownDecryptionPercent} of its time on such datagrams.
     */
    DECRYPTION_BUDGET,
    /**
     * The datagram would open a session, but the server is under load or the IP address has as many sessions as permitted, and the server
     * waits for a retransmission of the datagram. See {@link io.kcp.netty.bootstrap.AbstractKcpServerBuilder#retransmittedOnlyUnderLoad
     * retransmittedOnlyUnderLoad}.
     */
    FIRST_ARRIVAL,
    /**
     * The datagram would open a session, but the server is under load or the IP address has as many sessions as permitted, and the sender
     * has not proved yet that it receives datagrams at its address. The server has responded with a probe. The response of the sender, if
     * it opens no session itself, is counted with this reason, too. See {@link
     * io.kcp.netty.bootstrap.AbstractKcpServerBuilder#addressProofUnderLoad addressProofUnderLoad}.
     */
    UNPROVEN_ADDRESS,
    /**
     * The datagram would open a session, but the server is under load and has opened {@link
     * io.kcp.netty.bootstrap.AbstractKcpServerBuilder#openingsPerSecondUnderLoad openingsPerSecondUnderLoad} sessions within the last
     * second or has spent too much of its time on opening sessions.
     */
    OPENING_RATE,
    /**
     * The datagram would open a session, or belongs to a session that is about to be opened, but too many such datagrams wait already. For
     * each socket, an event loop spends a limited time per iteration on opening sessions, and lets up to 4,096 datagrams wait. Unless a
     * single peer or IP address has sent too many of them, the drop puts the server under load for one second.
     */
    OPENING_QUEUE_FULL,
    /**
     * The datagram would open a session, but the setup of the session failed because its initializer or handler threw an exception
     * or closed the session, or because an option was invalid. After several such failures in a row, further datagrams are refused
     * for a while and counted with this reason, too.
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
    /**
     * The datagram belongs to a session of another socket of the server, and the event loop of that socket already has too many datagrams
     * to process. Such datagrams occur only with {@link io.kcp.netty.bootstrap.KcpServerBootstrap#roaming roaming}.
     */
    HANDOVER_FULL,
    /** The datagram belongs to a session, but is malformed after its first segment. */
    MALFORMED,
    /**
     * The datagram belongs to a session, but it acknowledges a segment that was never sent. With {@link
     * io.kcp.netty.bootstrap.KcpServerBootstrap#roaming roaming}, this reason also counts datagrams from unknown addresses whose
     * acknowledgements have a wrong timestamp.
     */
    FORGED_ACKNOWLEDGEMENT,
    /**
     * The datagram has the form of a close notice for an existing session, but does not contain the random number that this side has sent
     * to its peer. Such a datagram is forged, or is a replay from an earlier session.
     */
    FORGED_CLOSE_NOTICE
}

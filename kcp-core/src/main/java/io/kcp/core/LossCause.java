package io.kcp.core;

/** The reason why a segment is retransmitted. */
enum LossCause {
    /** At least {@link KcpConfig#fastResend()} later transmissions were acknowledged. */
    FAST,
    /** A later transmission was acknowledged, and {@link EarlyRetransmit} permits a retransmission. */
    EARLY,
    /** The retransmission timeout of the segment expired. */
    TIMEOUT
}

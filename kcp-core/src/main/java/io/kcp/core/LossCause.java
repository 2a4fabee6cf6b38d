package io.kcp.core;

/** The reason why a segment is retransmitted. */
enum LossCause {
    /** The segment was skipped by {@link KcpConfig#fastResend()} acknowledgements. */
    FAST,
    /**
     * The segment was skipped by fewer acknowledgements than {@link KcpConfig#fastResend()}, and {@link EarlyRetransmit} permits a
     * retransmission.
     */
    EARLY,
    /** The retransmission timeout of the segment expired. */
    TIMEOUT
}

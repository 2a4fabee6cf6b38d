package io.kcp.core;

/** The reason why a segment is retransmitted. */
enum LossCause {
    /** The segment was skipped by {@link KcpConfig#fastResend()} acknowledgements. */
    FAST,
    /** The segment was skipped less often than {@link KcpConfig#fastResend()}, and the rule of {@link EarlyRetransmit} applies. */
    EARLY,
    /** The retransmission timeout of the segment expired. */
    TIMEOUT
}

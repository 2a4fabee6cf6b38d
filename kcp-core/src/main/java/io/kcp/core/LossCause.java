package io.kcp.core;

/** Why a segment is retransmitted. */
enum LossCause {
    /** {@link KcpConfig#fastResend()} acknowledgements skipped it. */
    FAST,
    /** Fewer acknowledgements skipped it, and the rule of {@link EarlyRetransmit} applies. */
    EARLY,
    /** Its retransmission timeout expired. */
    TIMEOUT
}

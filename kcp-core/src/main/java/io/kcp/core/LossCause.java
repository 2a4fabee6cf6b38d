package io.kcp.core;

/** Why a segment is sent again. */
enum LossCause {
    /** Later segments were acknowledged, {@link KcpConfig#fastResend()} of them. */
    FAST,
    /** Fewer than that, by the rule of {@link EarlyRetransmit}. */
    EARLY,
    /** Its retransmission timeout passed. */
    TIMEOUT
}

package io.kcp.core.internal.memory;

import io.kcp.core.EarlyRetransmit;
import io.kcp.core.KcpConfig;

/** The reason why a segment is retransmitted. */
public enum RetransmitReason {
    /** At least {@link KcpConfig#fastResend()} later transmissions were acknowledged. */
    FAST,
    /** A later transmission was acknowledged, and {@link EarlyRetransmit} permits a retransmission. */
    EARLY,
    /** The retransmission timeout of the segment expired. */
    TIMEOUT
}

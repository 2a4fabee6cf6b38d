package io.kcp.netty;

import io.kcp.core.KcpStats;
import io.kcp.core.fec.FecStats;

/**
 * How a session stands.
 *
 * @param counters            what it did so far
 * @param smoothedRttMs       smoothed round trip in milliseconds, 0 before the first measurement
 * @param rttVariationMs      its mean deviation in milliseconds
 * @param rtoMs               retransmission timeout in milliseconds
 * @param remoteWindow        free receive slots that the peer showed last, in segments
 * @param waitingSegments     segments queued or in flight
 * @param unacknowledgedBytes bytes accepted and not acknowledged
 * @param fec                 what the peer's parity was good for
 */
public record KcpSessionStats(
    KcpStats counters,
    int smoothedRttMs,
    int rttVariationMs,
    int rtoMs,
    int remoteWindow,
    int waitingSegments,
    long unacknowledgedBytes,
    FecStats fec) {
}

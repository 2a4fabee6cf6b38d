package io.kcp.netty;

import io.kcp.core.Kcp;
import io.kcp.core.KcpStats;
import io.kcp.core.fec.FecStats;
import org.jspecify.annotations.Nullable;

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
 * @param acknowledgedBytes   bytes that the peer has acknowledged so far
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
    long acknowledgedBytes,
    FecStats fec) {

    /** Looks at a conversation, which has not begun if it is null. */
    static KcpSessionStats of(@Nullable Kcp kcp, long unacknowledgedBytes, FecStats fec) {
        return kcp == null ? new KcpSessionStats(KcpStats.ZERO, 0, 0, 0, 0, 0, 0, 0, fec)
            : new KcpSessionStats(kcp.stats(), kcp.smoothedRttMs(), kcp.rttVariationMs(), kcp.rtoMs(), kcp.remoteWindow(),
                kcp.waitingSegments(), unacknowledgedBytes, kcp.acknowledgedBytes(), fec);
    }
}

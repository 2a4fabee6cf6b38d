package io.kcp.netty;

import io.kcp.core.KcpStats;
import io.kcp.core.conversation.Kcp;
import io.kcp.core.fec.FecStats;
import org.jspecify.annotations.Nullable;

/**
 * Statistics of one session.
 *
 * @param counters            the counters since the session was opened
 * @param smoothedRttMs       smoothed round-trip time in milliseconds, 0 before the first measurement
 * @param rttVariationMs      mean deviation of the round-trip time in milliseconds
 * @param rtoMs               retransmission timeout in milliseconds
 * @param remoteWindow        the receive window that the peer advertised most recently, in segments
 * @param waitingSegments     segments queued or in flight
 * @param unacknowledgedBytes bytes accepted and not acknowledged
 * @param acknowledgedBytes   bytes that the peer has acknowledged so far
 * @param fec                 the counters of the FEC decoder
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

    /**
     * Creates the statistics of a session from its conversation.
     *
     * @param kcp                 the conversation; borrowed; null before the session is registered
     * @param unacknowledgedBytes the number of written bytes that the peer has not acknowledged
     * @param fec                 the FEC counters of the session
     * @return the statistics
     */
    public static KcpSessionStats of(@Nullable Kcp kcp, long unacknowledgedBytes, FecStats fec) {
        return kcp == null ? new KcpSessionStats(KcpStats.ZERO, 0, 0, 0, 0, 0, 0, 0, fec)
            : new KcpSessionStats(kcp.stats(), kcp.smoothedRttMs(), kcp.rttVariationMs(), kcp.rtoMs(), kcp.remoteWindow(),
                kcp.waitingSegments(), unacknowledgedBytes, kcp.acknowledgedBytes(), fec);
    }
}

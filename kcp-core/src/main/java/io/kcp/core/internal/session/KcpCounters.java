package io.kcp.core.internal.session;

import io.kcp.core.KcpStats;

/** The mutable counters of one conversation, of which {@link KcpStats} is a snapshot. */
public final class KcpCounters {

    public long bytesSent;
    public long bytesReceived;
    public long datagramsIn;
    public long datagramsOut;
    public long segmentsIn;
    public long segmentsOut;
    public long wireBytesIn;
    public long wireBytesOut;
    public long fastRetransmissions;
    public long earlyRetransmissions;
    public long timeoutRetransmissions;
    public long spuriousRetransmissions;
    public long repeatedSegments;
    public long refusedSegments;
    public long datagramErrors;
    public long unverifiedAcknowledgements;
    public long mtuReductions;
    public long mtuIncreases;
    public long mtuProbes;
    public long redundantSegments;

    public KcpStats snapshot() {
        return new KcpStats(bytesSent, bytesReceived, datagramsIn, datagramsOut, segmentsIn, segmentsOut, wireBytesIn,
            wireBytesOut, fastRetransmissions, earlyRetransmissions, timeoutRetransmissions, spuriousRetransmissions,
            repeatedSegments, refusedSegments, datagramErrors, unverifiedAcknowledgements,
            mtuReductions, redundantSegments, mtuIncreases, mtuProbes);
    }
}

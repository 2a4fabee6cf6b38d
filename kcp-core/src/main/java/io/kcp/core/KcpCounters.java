package io.kcp.core;

/** The mutable counters of one conversation, of which {@link KcpStats} is a snapshot. */
final class KcpCounters {

    long bytesSent;
    long bytesReceived;
    long datagramsIn;
    long datagramsOut;
    long segmentsIn;
    long segmentsOut;
    long wireBytesIn;
    long wireBytesOut;
    long fastRetransmissions;
    long earlyRetransmissions;
    long timeoutRetransmissions;
    long spuriousRetransmissions;
    long repeatedSegments;
    long refusedSegments;
    long datagramErrors;
    long unverifiedAcknowledgements;
    long mtuReductions;
    long mtuIncreases;
    long mtuProbes;
    long redundantSegments;

    KcpStats snapshot() {
        return new KcpStats(bytesSent, bytesReceived, datagramsIn, datagramsOut, segmentsIn, segmentsOut, wireBytesIn,
            wireBytesOut, fastRetransmissions, earlyRetransmissions, timeoutRetransmissions, spuriousRetransmissions,
            repeatedSegments, refusedSegments, datagramErrors, unverifiedAcknowledgements,
            mtuReductions, redundantSegments, mtuIncreases, mtuProbes);
    }
}

package io.kcp.core;

/** The counters of one conversation, which {@link KcpStats} describes. */
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

    KcpStats snapshot() {
        return new KcpStats(bytesSent, bytesReceived, datagramsIn, datagramsOut, segmentsIn, segmentsOut, wireBytesIn,
            wireBytesOut, fastRetransmissions, earlyRetransmissions, timeoutRetransmissions, spuriousRetransmissions,
            repeatedSegments, refusedSegments, datagramErrors, unverifiedAcknowledgements);
    }
}

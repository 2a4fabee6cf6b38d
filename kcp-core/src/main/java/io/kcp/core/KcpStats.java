package io.kcp.core;

/**
 * Statistics of one conversation, or the sum of the statistics of several conversations. A name in parentheses is that of the counter with
 * the same meaning in kcp-go's SNMP table (section 6 of {@code wire-format.md}).
 *
 * @param bytesSent               application bytes accepted for sending (BytesSent)
 * @param bytesReceived           application bytes delivered (BytesReceived)
 * @param datagramsIn             inbound datagrams (InPkts)
 * @param datagramsOut            outbound datagrams (OutPkts)
 * @param segmentsIn              segments of accepted inbound datagrams (InSegs)
 * @param segmentsOut             outbound segments, including acknowledgements and probes (OutSegs)
 * @param wireBytesIn             bytes of accepted inbound datagrams, without FEC and cipher (InBytes)
 * @param wireBytesOut            bytes of outbound datagrams, without FEC and cipher (OutBytes)
 * @param fastRetransmissions     retransmissions after {@link KcpConfig#fastResend()} acknowledgements of later segments (FastRetransSegs)
 * @param earlyRetransmissions    retransmissions permitted by {@link EarlyRetransmit} after fewer such acknowledgements (EarlyRetransSegs)
 * @param timeoutRetransmissions  retransmissions after a timeout (LostSegs)
 * @param spuriousRetransmissions retransmissions of segments whose earlier copy was acknowledged (not in kcp-go)
 * @param repeatedSegments        received duplicates, and segments outside the window (RepeatSegs)
 * @param refusedSegments         received segments with an invalid {@code frg} or length, or of a message above
 *                                {@link KcpConfig#maxMessageBytes()} (not in kcp-go)
 * @param datagramErrors          rejected inbound datagrams (KCPInErrors)
 * @param unverifiedAcknowledgements ignored ACKs whose {@code ts} does not match a transmission of the segment, and ignored {@code una}
 *                                   fields that arrived sooner than the path allows; both are forged or corrupt (not in kcp-go)
 * @param mtuReductions           reductions of the MTU by {@link KcpConfig#mtuFallback()} (not in kcp-go)
 * @param redundantSegments       copies of unacknowledged segments sent because of {@link KcpConfig#redundancy()}, which are also part of
 *                                {@code segmentsOut} (not in kcp-go)
 * @param mtuIncreases            increases of the MTU by {@link KcpConfig#mtuSearchLimitBytes()} (not in kcp-go)
 * @param mtuProbes               probes sent for a larger MTU, which are also part of {@code datagramsOut} (not in kcp-go)
 */
public record KcpStats(
    long bytesSent,
    long bytesReceived,
    long datagramsIn,
    long datagramsOut,
    long segmentsIn,
    long segmentsOut,
    long wireBytesIn,
    long wireBytesOut,
    long fastRetransmissions,
    long earlyRetransmissions,
    long timeoutRetransmissions,
    long spuriousRetransmissions,
    long repeatedSegments,
    long refusedSegments,
    long datagramErrors,
    long unverifiedAcknowledgements,
    long mtuReductions,
    long redundantSegments,
    long mtuIncreases,
    long mtuProbes) {

    /** Statistics with every counter at 0. */
    public static final KcpStats ZERO = new KcpStats(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);

    /**
     * Returns the total number of retransmissions (RetransSegs in kcp-go).
     *
     * @return segments
     */
    public long retransmissions() {
        return fastRetransmissions + earlyRetransmissions + timeoutRetransmissions;
    }

    /**
     * Returns the sum of these statistics and those of another conversation.
     *
     * @param other the statistics to add
     * @return the sum
     */
    public KcpStats plus(KcpStats other) {
        return new KcpStats(bytesSent + other.bytesSent, bytesReceived + other.bytesReceived,
            datagramsIn + other.datagramsIn, datagramsOut + other.datagramsOut, segmentsIn + other.segmentsIn,
            segmentsOut + other.segmentsOut, wireBytesIn + other.wireBytesIn, wireBytesOut + other.wireBytesOut,
            fastRetransmissions + other.fastRetransmissions, earlyRetransmissions + other.earlyRetransmissions,
            timeoutRetransmissions + other.timeoutRetransmissions,
            spuriousRetransmissions + other.spuriousRetransmissions, repeatedSegments + other.repeatedSegments,
            refusedSegments + other.refusedSegments, datagramErrors + other.datagramErrors,
            unverifiedAcknowledgements + other.unverifiedAcknowledgements, mtuReductions + other.mtuReductions,
            redundantSegments + other.redundantSegments, mtuIncreases + other.mtuIncreases, mtuProbes + other.mtuProbes);
    }
}

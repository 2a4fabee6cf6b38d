package io.kcp.core;

/**
 * What a conversation, or many of them together, did so far. The meanings are those of kcp-go's SNMP table (section 6 of
 * {@code wire-format.md}); the name there stands in brackets.
 *
 * @param bytesSent               application bytes accepted for sending (BytesSent)
 * @param bytesReceived           application bytes handed out (BytesReceived)
 * @param datagramsIn             datagrams given to the conversation (InPkts)
 * @param datagramsOut            datagrams it made (OutPkts)
 * @param segmentsIn              segments in datagrams that were accepted (InSegs)
 * @param segmentsOut             segments encoded, acknowledgements and probes included (OutSegs)
 * @param wireBytesIn             bytes of those datagrams, without FEC and cipher (InBytes)
 * @param wireBytesOut            bytes of the datagrams made, without FEC and cipher (OutBytes)
 * @param fastRetransmissions     sent again because enough later segments were acknowledged (FastRetransSegs)
 * @param earlyRetransmissions    sent again because a few were, and time passed (EarlyRetransSegs)
 * @param timeoutRetransmissions  sent again after their timeout (LostSegs)
 * @param spuriousRetransmissions retransmissions that proved needless: an earlier copy was acknowledged (not in kcp-go)
 * @param repeatedSegments        payload segments that were here already or outside the window (RepeatSegs)
 * @param refusedSegments         payload segments with an impossible {@code frg} or length, or of a message above
 *                                {@link KcpConfig#maxMessageBytes()} (not in kcp-go)
 * @param datagramErrors          datagrams dropped whole (KCPInErrors)
 * @param unverifiedAcknowledgements ACKs whose {@code ts} no transmission of their segment had, and {@code una} fields that
 *                                came sooner than the path allows: forged or corrupt, and ignored (not in kcp-go)
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
    long unverifiedAcknowledgements) {

    /** Nothing happened yet. */
    public static final KcpStats ZERO = new KcpStats(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);

    /**
     * All retransmissions together (RetransSegs).
     *
     * @return segments
     */
    public long retransmissions() {
        return fastRetransmissions + earlyRetransmissions + timeoutRetransmissions;
    }

    /**
     * Adds two counts up.
     *
     * @param other what another conversation did
     * @return the sum of both
     */
    public KcpStats plus(KcpStats other) {
        return new KcpStats(bytesSent + other.bytesSent, bytesReceived + other.bytesReceived,
            datagramsIn + other.datagramsIn, datagramsOut + other.datagramsOut, segmentsIn + other.segmentsIn,
            segmentsOut + other.segmentsOut, wireBytesIn + other.wireBytesIn, wireBytesOut + other.wireBytesOut,
            fastRetransmissions + other.fastRetransmissions, earlyRetransmissions + other.earlyRetransmissions,
            timeoutRetransmissions + other.timeoutRetransmissions,
            spuriousRetransmissions + other.spuriousRetransmissions, repeatedSegments + other.repeatedSegments,
            refusedSegments + other.refusedSegments, datagramErrors + other.datagramErrors,
            unverifiedAcknowledgements + other.unverifiedAcknowledgements);
    }
}

package io.kcp.core;

/** Summarizes the effects of one inbound datagram. One object is reused for all datagrams of a thread. */
final class DatagramReport {

    /** Size of the datagram in bytes, or 0 if FEC recovered it. */
    int bytes;
    /** Number of segments that the datagram newly acknowledged. */
    int acknowledged;
    /** {@code true} if the datagram advanced {@code una}, the start of the send window. */
    boolean unaAdvanced;
    /** {@code true} if the peer is known to be of this library, so that {@link AckThinning} may delay its acknowledgements. */
    boolean peerDelaysAcks;
    /** Round-trip time in milliseconds, measured with an ACK in the datagram, or -1 if there is no sample. */
    int rttSampleMs;
    /** {@code true} if the datagram shows that the peer is alive, provided that the datagram is not a replay. */
    boolean maybeLive;
    /**
     * {@code true} if the content of the datagram proves that it is not a replay. This is the case if it delivers new data, acknowledges a
     * segment for the first time, contains a retransmission with a new timestamp, or responds to a {@link LivenessProbe}.
     */
    boolean verified;
    /**
     * {@code true} if an ACK in the datagram echoes the {@code ts} of a segment in flight or of a probe, or if a WINS in it echoes the
     * token of {@link CloseNotice}. An attacker who does not see the datagrams of the conversation cannot forge such a datagram.
     */
    boolean echoed;
    /** {@code true} if the datagram contains a window probe, or a data segment that lies outside the receive window. */
    boolean asksForResponse;
    /** {@code true} if the datagram added an acknowledgement to a previously empty {@link AckQueue}. */
    boolean startsAcks;
    /** {@code true} if the datagram contains an acknowledgement that belongs to no segment in flight. */
    boolean strayAck;
    int strayAckSn;
    int strayAckTs;
    /** {@code true} if the datagram contains a new PUSH with the highest {@code sn} so far, or a duplicate with the newest {@code ts}. */
    boolean newestPush;
    boolean newestPushStored;
    int newestPushSn;
    int newestPushTs;

    void onStrayAck(int sn, int ts) {
        strayAck = true;
        strayAckSn = sn;
        strayAckTs = ts;
    }

    /** Records the newest PUSH. A stored segment takes precedence over a duplicate. */
    void onNewestPush(int sn, int ts, boolean stored) {
        if (stored || !newestPushStored) {
            newestPush = true;
            newestPushStored = stored;
            newestPushSn = sn;
            newestPushTs = ts;
        }
    }

    void clear() {
        acknowledged = 0;
        unaAdvanced = false;
        rttSampleMs = -1;
        maybeLive = false;
        verified = false;
        echoed = false;
        asksForResponse = false;
        startsAcks = false;
        strayAck = false;
        newestPush = false;
        newestPushStored = false;
    }
}

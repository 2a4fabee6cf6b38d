package io.kcp.core.internal.session;

/** Summarizes the effects of one inbound datagram. One object is reused for all datagrams of a thread. */
public final class DatagramReport {

    /** Size of the datagram in bytes, or 0 if FEC recovered it. */
    public int bytes;
    /** Number of segments that the datagram newly acknowledged. */
    public int acknowledged;
    /** {@code true} if the datagram advanced {@code una}, the start of the send window. */
    public boolean unaAdvanced;
    /** {@code true} if the peer is known to be of this library, so that {@code AckThinning} may delay its acknowledgements. */
    public boolean peerDelaysAcks;
    /** Round-trip time in milliseconds, measured with an ACK in the datagram, or -1 if there is no sample. */
    public int rttSampleMs;
    /** {@code true} if the datagram shows that the peer is alive, provided that the datagram is not a replay. */
    public boolean maybeLive;
    /**
     * {@code true} if the content of the datagram proves that it is not a replay. This is the case if it delivers new data, acknowledges a
     * segment for the first time, contains a retransmission with a new timestamp, or responds to a {@code LivenessProbe}.
     */
    public boolean verified;
    /**
     * {@code true} if an ACK in the datagram echoes the {@code ts} of a segment in flight or of a probe, or if a WINS in it echoes the
     * token of {@code CloseNotice}. An attacker who does not see the datagrams of the conversation cannot forge such a datagram.
     */
    public boolean echoed;
    /** {@code true} if the datagram contains a window probe, or a data segment that lies outside the receive window. */
    public boolean asksForResponse;
    /** {@code true} if the datagram added an acknowledgement to a previously empty {@code AckQueue}. */
    public boolean startsAcks;
    /** {@code true} if the datagram contains an acknowledgement that belongs to no segment in flight. */
    public boolean strayAck;
    public int strayAckSn;
    public int strayAckTs;
    /** {@code true} if the datagram contains a new PUSH with the highest {@code sn} so far, or a duplicate with the newest {@code ts}. */
    public boolean newestPush;
    public boolean newestPushStored;
    public int newestPushSn;
    public int newestPushTs;

    public void onStrayAck(int sn, int ts) {
        strayAck = true;
        strayAckSn = sn;
        strayAckTs = ts;
    }

    /** Records the newest PUSH. A stored segment takes precedence over a duplicate. */
    public void onNewestPush(int sn, int ts, boolean stored) {
        if (stored || !newestPushStored) {
            newestPush = true;
            newestPushStored = stored;
            newestPushSn = sn;
            newestPushTs = ts;
        }
    }

    public void clear() {
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

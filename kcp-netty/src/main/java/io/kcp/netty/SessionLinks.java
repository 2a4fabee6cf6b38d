package io.kcp.netty;

import io.kcp.netty.admission.SessionCounts;
import io.kcp.netty.admission.UnvalidatedSessions;
import io.netty.channel.AbstractChannel;
import io.netty.channel.Channel;
import org.jspecify.annotations.Nullable;

/**
 * The fields of a session that belong to the tables, queues and codecs of its event loop. Unlike map entries, fields need no allocation
 * or lookup per datagram. The comment of each field names the class that reads and writes it.
 */
abstract class SessionLinks extends AbstractChannel {

    int hash;                                   // PeerTable
    @Nullable DefaultKcpChannel previousOfPeer; // PeerTable
    @Nullable DefaultKcpChannel nextOfPeer;     // PeerTable
    long openedMs;                              // KcpHandler
    @Nullable DefaultKcpChannel nextInBatch;    // SessionQueue.Batch
    @Nullable DefaultKcpChannel nextBlocked;    // SessionQueue.Blocked
    @Nullable DefaultKcpChannel nextDue;        // SessionQueue.Due
    int heapIndex = -1;                         // DeadlineHeap
    long deadlineMs;                            // DeadlineHeap
    int wheelBucket = -1;                       // LivenessWheel
    @Nullable DefaultKcpChannel wheelPrevious;  // LivenessWheel
    @Nullable DefaultKcpChannel wheelNext;      // LivenessWheel
    final SessionKey key = new SessionKey();    // CryptoCodec
    final SessionRuns runs = new SessionRuns(); // DatagramCoalescer
    final SessionFec fec;                       // FecCodec
    SessionCounts.@Nullable Place place;        // SessionAcceptor
    UnvalidatedSessions.@Nullable Entry<DefaultKcpChannel> unvalidated; // SessionAcceptor

    SessionLinks(@Nullable Channel parent, int conv) {
        super(parent);
        fec = new SessionFec(conv);
    }
}

package io.kcp.netty;

import io.kcp.core.FirstDatagram;
import io.kcp.core.Kcp;
import io.kcp.core.SegmentHeader;
import io.kcp.netty.admission.ReplayFilter;
import io.kcp.netty.admission.Tombstones;
import io.netty.buffer.ByteBuf;
import io.netty.channel.socket.DatagramPacket;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import org.jspecify.annotations.Nullable;

/** Decides whether a datagram that belongs to no session may open one, and remembers recently closed sessions. */
final class SessionGate {

    private static final int MAX_EVICTED = 16_384;

    private final KcpHandler handler;
    private final KcpHandlerBuilder settings;
    private final OpeningLimits openings;
    /** Records of closed sessions, or null if this side accepts no sessions. */
    private final @Nullable Tombstones tombstones;
    /**
     * Records of evicted sessions, which are stored separately so that a flood of evictions does not displace the records of other closed
     * sessions. Null until a session that has delivered a message is evicted.
     */
    private @Nullable Tombstones evicted;
    private boolean closing;

    SessionGate(KcpHandler handler, KcpHandlerBuilder settings, OpeningLimits openings) {
        this.handler = handler;
        this.settings = settings;
        this.openings = openings;
        tombstones = settings.childHandler == null ? null : new Tombstones(new SecureRandom());
    }

    /** Returns {@code true} if a datagram begins with a complete KCP segment. */
    static boolean startsWithSegment(ByteBuf datagram) {
        int offset = datagram.readerIndex();
        int length = datagram.readableBytes();
        if (length < SegmentHeader.LENGTH) {
            return false;
        }
        int cmd = SegmentHeader.cmd(datagram, offset);
        return cmd >= SegmentHeader.CMD_PUSH && cmd <= SegmentHeader.CMD_WINS
            && SegmentHeader.len(datagram, offset) <= length - SegmentHeader.LENGTH;
    }

    /** Refuses all new sessions from now on. */
    void close() {
        closing = true;
    }

    /** Returns null if a datagram may open a session, otherwise the reason why it may not. Acknowledges segments of a closed session. */
    @Nullable DropReason refusal(InetSocketAddress peer, ByteBuf datagram, long nowMs) {
        Tombstones records = tombstones;
        if (records == null) {
            return DropReason.NO_SESSION;
        }
        int conv = SegmentHeader.conv(datagram, datagram.readerIndex());
        Tombstones.Tombstone tombstone = records.find(peer, conv, nowMs);
        if (tombstone == null && evicted != null) {
            tombstone = evicted.find(peer, conv, nowMs);
        }
        // A client may retransmit its first segments in the datagram in which it responds to the probe of a server under load.
        boolean isProof = openings.readProof(peer, datagram, nowMs);
        boolean opensSession = openings.isProven(peer, conv, nowMs)
            ? FirstDatagram.opensSessionOfProvenPeer(datagram, settings.receiveWindow)
            : FirstDatagram.opensSession(datagram, settings.receiveWindow);
        if (isProof && !opensSession) {
            return DropReason.UNPROVEN_ADDRESS;
        }
        ReplayFilter replayFilter = settings.replayFilter;
        boolean replayed = opensSession && replayFilter != null && replayFilter.testAndAdd(datagram, nowMs);
        if (tombstone != null && !(opensSession && tombstone.mayReopen(nowMs))) {
            acknowledgeForClosed(tombstone, peer, datagram);
            CloseNotices.repeat(handler, tombstone, peer, datagram, nowMs);
            return DropReason.CLOSED_SESSION;
        }
        if (!opensSession) {
            return DropReason.NO_SESSION;
        }
        if (replayed) {
            return DropReason.REPLAYED;
        }
        if (closing) {
            return DropReason.CLOSING;
        }
        // The load is checked last, so that a replayed datagram neither counts as a retransmission nor reveals whether the server is under
        // load.
        return openings.refusal(peer, conv, nowMs);
    }

    /** Returns {@code true} if the segment at an index of a datagram is the response to a probe, which proves the address of its sender. */
    boolean isProof(InetSocketAddress peer, ByteBuf datagram, int offset) {
        return openings.isProof(peer, datagram, offset, handler.loop().nowMs());
    }

    /** Adds a datagram of an open session to the replay filter, if a copy of it could open another session. */
    void onKnownSession(ByteBuf datagram, long nowMs) {
        ReplayFilter replayFilter = settings.replayFilter;
        if (replayFilter != null && SegmentHeader.una(datagram, datagram.readerIndex()) == 0
            && FirstDatagram.opensSession(datagram, settings.receiveWindow)) {
            replayFilter.testAndAdd(datagram, nowMs);
        }
    }

    /** Records that a session has left an address, so that a late datagram from that address opens no other session. */
    void onMoved(InetSocketAddress previous, int conv, Tombstones.Tombstone tombstone) {
        Tombstones records = tombstones;
        if (records != null) {
            records.add(previous, conv, tombstone);
        }
    }

    /**
     * Records that a session was closed, so that a late datagram does not open it again. An evicted session that has delivered no
     * message is not recorded, because its peer may be a client that lost its place to a flood and should connect again with its
     * next retransmission.
     */
    void onClosed(DefaultKcpChannel session, Kcp conversation, long nowMs) {
        KcpCloseReason reason = session.closing().reason();
        boolean isEvicted = reason == KcpCloseReason.EVICTED;
        Tombstones records = tombstones;
        if (records == null || isEvicted && !session.delivery.hasDelivered()) {
            return;
        }
        if (isEvicted) {
            records = evicted != null ? evicted : new Tombstones(new SecureRandom(), MAX_EVICTED);
            evicted = records;
        }
        records.add(session.remoteAddress(), session.conv(), new Tombstones.Tombstone(nowMs,
            conversation.nextExpectedSn(), isEvicted || conversation.isAcknowledged(), CloseNotices.record(session, conversation, reason)));
    }

    /**
     * Acknowledges a segment that a closed session had received, because the peer would otherwise retransmit the segment indefinitely.
     * Segments that the session never received are not acknowledged, nor are segments that may belong to a new session with the same
     * {@code conv}. A session that has moved to another address acknowledges its segments itself.
     */
    private void acknowledgeForClosed(Tombstones.Tombstone tombstone, InetSocketAddress peer, ByteBuf datagram) {
        int offset = datagram.readerIndex();
        int sn = SegmentHeader.sn(datagram, offset);
        boolean mayBeOfNewSession =
            SegmentHeader.una(datagram, offset) == 0 && Integer.compareUnsigned(sn, settings.receiveWindow) < 0;
        if (!tombstone.moved() && SegmentHeader.cmd(datagram, offset) == SegmentHeader.CMD_PUSH && sn - tombstone.nextExpectedSn() < 0
            && !mayBeOfNewSession && handler.canWrite()) {
            ByteBuf answer = handler.allocate(SegmentHeader.LENGTH);
            SegmentHeader.write(answer, SegmentHeader.conv(datagram, offset), SegmentHeader.CMD_ACK, 0, 0,
                SegmentHeader.ts(datagram, offset), sn, tombstone.nextExpectedSn(), 0);
            handler.write(new DatagramPacket(answer, peer));
        }
    }
}

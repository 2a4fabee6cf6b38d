package io.kcp.netty.internal.accept;

import io.kcp.core.SegmentHeader;
import io.kcp.core.conversation.CloseNotice;
import io.kcp.core.conversation.FirstDatagram;
import io.kcp.core.conversation.Kcp;
import io.kcp.netty.DropReason;
import io.kcp.netty.KcpCloseReason;
import io.kcp.netty.internal.admission.ReplayFilter;
import io.kcp.netty.internal.admission.Tombstones;
import io.kcp.netty.internal.channel.DefaultKcpChannel;
import io.kcp.netty.internal.channel.SessionHost;
import io.netty.buffer.ByteBuf;
import io.netty.channel.socket.DatagramPacket;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import org.jspecify.annotations.Nullable;

/** Decides whether a datagram that belongs to no session may open one, and remembers recently closed sessions. */
public final class FirstDatagramRules {

    private static final int MAX_EVICTED = 16_384;

    private final SessionHost<DefaultKcpChannel> host;
    private final AcceptSettings settings;
    private final LoadLimits openings;
    /** Records of closed sessions. */
    private final Tombstones tombstones = new Tombstones(new SecureRandom());
    /**
     * Records of evicted sessions, which are stored separately so that a flood of evictions does not displace the records of other closed
     * sessions. Null until a session that has delivered a message is evicted.
     */
    private @Nullable Tombstones evicted;
    private boolean closing;

    FirstDatagramRules(SessionHost<DefaultKcpChannel> host, AcceptSettings settings, LoadLimits openings) {
        this.host = host;
        this.settings = settings;
        this.openings = openings;
    }

    Tombstones tombstones() {
        return tombstones;
    }

    /** Returns {@code true} if a datagram begins with a complete KCP segment. */
    public static boolean startsWithSegment(ByteBuf datagram) {
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
    public void close() {
        closing = true;
    }

    /** Returns null if a datagram may open a session, otherwise the reason why it may not. Acknowledges segments of a closed session. */
    public @Nullable DropReason refusal(InetSocketAddress peer, ByteBuf datagram, long nowMs) {
        int conv = SegmentHeader.conv(datagram, datagram.readerIndex());
        Tombstones.Tombstone tombstone = tombstones.find(peer, conv, nowMs);
        if (tombstone == null && evicted != null) {
            tombstone = evicted.find(peer, conv, nowMs);
        }
        // A client may retransmit its first segments in the datagram in which it responds to the probe of a server under load.
        boolean isProof = openings.readProof(peer, datagram, nowMs);
        boolean opensSession = openings.isProven(peer, conv, nowMs)
            ? FirstDatagram.opensSessionOfProvenPeer(datagram, settings.receiveWindow())
            : FirstDatagram.opensSession(datagram, settings.receiveWindow());
        if (isProof && !opensSession) {
            return DropReason.UNPROVEN_ADDRESS;
        }
        ReplayFilter replayFilter = settings.replayFilter();
        boolean replayed = opensSession && replayFilter != null && replayFilter.testAndAdd(datagram, nowMs);
        if (tombstone != null && !(opensSession && tombstone.mayReopen(nowMs))) {
            acknowledgeForClosed(tombstone, peer, datagram);
            repeatNotice(tombstone, peer, datagram, nowMs);
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

    /** Adds a datagram of an open session to the replay filter, if a copy of it could open another session. */
    public void onKnownSession(ByteBuf datagram, long nowMs) {
        ReplayFilter replayFilter = settings.replayFilter();
        if (replayFilter != null && SegmentHeader.una(datagram, datagram.readerIndex()) == 0
            && FirstDatagram.opensSession(datagram, settings.receiveWindow())) {
            replayFilter.testAndAdd(datagram, nowMs);
        }
    }

    /**
     * Records that a session was closed, so that a late datagram does not open it again. An evicted session that has delivered no
     * message is not recorded, because its peer may be a client that lost its place to a flood and should connect again with its
     * next retransmission.
     */
    public void onClosed(DefaultKcpChannel session, Kcp conversation, long nowMs) {
        KcpCloseReason reason = session.closing().reason();
        boolean isEvicted = reason == KcpCloseReason.EVICTED;
        if (isEvicted && !session.delivery.hasDelivered()) {
            return;
        }
        Tombstones records = tombstones;
        if (isEvicted) {
            records = evicted != null ? evicted : new Tombstones(new SecureRandom(), MAX_EVICTED);
            evicted = records;
        }
        records.add(session.remoteAddress(), session.conv(), new Tombstones.Tombstone(nowMs,
            conversation.nextExpectedSn(), isEvicted || conversation.isAcknowledged(), session.closing().repeatedNotice(conversation)));
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
            SegmentHeader.una(datagram, offset) == 0 && Integer.compareUnsigned(sn, settings.receiveWindow()) < 0;
        if (!tombstone.moved() && SegmentHeader.cmd(datagram, offset) == SegmentHeader.CMD_PUSH && sn - tombstone.nextExpectedSn() < 0
            && !mayBeOfNewSession && host.writer().canWrite()) {
            ByteBuf answer = host.writer().allocate(SegmentHeader.LENGTH);
            SegmentHeader.write(answer, SegmentHeader.conv(datagram, offset), SegmentHeader.CMD_ACK, 0, 0,
                SegmentHeader.ts(datagram, offset), sn, tombstone.nextExpectedSn(), 0);
            host.writer().write(new DatagramPacket(answer, peer));
        }
    }

    /** Repeats the notice of a closed session after its peer has sent another datagram, unless the limit on repetitions is reached. */
    private void repeatNotice(Tombstones.Tombstone tombstone, InetSocketAddress peer, ByteBuf datagram, long nowMs) {
        Tombstones.Notice notice = tombstone.notice();
        if (notice != null && !CloseNotice.isNotice(datagram) && host.writer().canWrite() && notice.takeRepetition(nowMs)) {
            ByteBuf repeated = host.writer().allocate(SegmentHeader.LENGTH);
            notice.write(repeated);
            host.writer().write(new DatagramPacket(repeated, peer));
        }
    }
}

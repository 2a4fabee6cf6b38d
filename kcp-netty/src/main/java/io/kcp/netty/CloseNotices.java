package io.kcp.netty;

import io.kcp.core.CloseNotice;
import io.kcp.core.Kcp;
import io.kcp.core.SegmentHeader;
import io.kcp.netty.admission.Tombstones;
import io.netty.buffer.ByteBuf;
import io.netty.channel.socket.DatagramPacket;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * Sends a {@link CloseNotice} when a session closes, repeats the notice if the peer continues to send, and passes inbound notices to their
 * sessions.
 */
final class CloseNotices {

    /**
     * Number of copies that are sent when a session closes. A lost notice cannot be repeated later if the socket closes as well.
     */
    private static final int COPIES = 3;

    private CloseNotices() {
        // Holds static methods only, because the state of a notice belongs to the conversation.
    }

    /** Notifies the peer that the session closes, if the peer has announced that it reads notices and has not sent a notice itself. */
    static void send(DefaultKcpChannel session, Kcp conversation, @Nullable KcpCloseReason reason) {
        KcpHandler handler = session.handler();
        if (!mayNotify(session, conversation) || reason == KcpCloseReason.PARENT_CLOSED || !handler.canWrite()) {
            return;
        }
        for (int i = 0; i < COPIES; i++) {
            ByteBuf notice = handler.allocate(SegmentHeader.LENGTH);
            conversation.closeNotice().write(notice, KcpCloseReason.noticeCode(reason));
            handler.writer().write(notice, session);
        }
        if (!handler.batch().isReading()) {
            handler.flushWritten();
        }
    }

    /** Returns {@code true} if the peer reads notices, is validated, and has not sent a notice itself. */
    private static boolean mayNotify(DefaultKcpChannel session, Kcp conversation) {
        return conversation.closeNotice().isPeerListening() && !session.closing().isClosedByPeer()
            && (session.place == null || conversation.isPeerValidated()) && session.handler().datagramChannel().isActive();
    }

    /** Returns the notice to repeat after the session has closed, or null if the peer must not be notified. */
    static Tombstones.@Nullable Notice record(DefaultKcpChannel session, Kcp conversation, @Nullable KcpCloseReason reason) {
        return mayNotify(session, conversation)
            ? new Tombstones.Notice(conversation.closeNotice(), KcpCloseReason.noticeCode(reason)) : null;
    }

    /** Repeats the notice of a closed session after its peer has sent another datagram, unless the limit on repetitions is reached. */
    static void repeat(KcpHandler handler, Tombstones.Tombstone tombstone, InetSocketAddress peer, ByteBuf datagram, long nowMs) {
        Tombstones.Notice notice = tombstone.notice();
        if (notice != null && !CloseNotice.isNotice(datagram) && handler.canWrite() && notice.takeRepetition(nowMs)) {
            ByteBuf repeated = handler.allocate(SegmentHeader.LENGTH);
            notice.write(repeated);
            handler.write(new DatagramPacket(repeated, peer));
        }
    }

    /** Reads a datagram that has the form of a close notice. A genuine notice closes its session at the end of the batch. */
    static void read(KcpHandler handler, SessionGate gate, DatagramPacket packet) {
        ByteBuf datagram = packet.content();
        DefaultKcpChannel session = handler.sessions().find(packet.sender(), SegmentHeader.conv(datagram, datagram.readerIndex()));
        if (session == null) {
            DropReason refusal = gate.refusal(packet.sender(), datagram, handler.loop().recentNowMs());
            handler.drop(refusal != null ? refusal : DropReason.NO_SESSION);
            return;
        }
        CloseNotice notice = session.kcp().closeNotice();
        int code = notice.read(datagram);
        if (code == CloseNotice.NOT_CLOSED) {
            handler.drop(DropReason.FORGED_CLOSE_NOTICE);
        } else if (!session.closing().isClosedByPeer()) {
            session.closing().onPeerClosed(code, notice.isComplete());
            handler.batch().add(session);
        }
    }
}

package io.kcp.core.conversation;

import io.kcp.core.KcpConfig;
import io.kcp.core.SegmentHeader;
import io.netty.buffer.ByteBuf;

/** Decides whether a datagram may open a new session on a server. */
public final class FirstDatagram {

    /** Sequence number of a probe, which every peer acknowledges as a duplicate because it precedes the first segment. */
    private static final int BEFORE_FIRST_SN = -1;

    private FirstDatagram() {
    }

    /**
     * Returns {@code true} if a datagram may open a session. Such a datagram is well-formed and contains only PUSH segments of one
     * conversation, each with {@code una} 0, an {@code sn} inside the receive window and a {@code frg} below 255. One of the segments has
     * {@code sn} 0.
     *
     * <p>A datagram without {@code sn} 0 opens no session, because a session that is already closed may have acknowledged {@code sn} 0. The
     * new session would then acknowledge segments that it can never deliver. If the first segment of a new client is lost or reordered, the
     * client retransmits the later segments, because none of them was acknowledged.
     *
     * <p>A message with more fragments than the receive window has segments does open a session. The session does not store the message but
     * responds with its window, so that the client learns that the message is too large. This gives an attacker no advantage: the response
     * is as small as an acknowledgement, and the session is considered unvalidated.
     *
     * @param datagram              the datagram, borrowed; only its readable bytes are read
     * @param receiveWindowSegments the receive window that the session would have, in segments
     * @return {@code true} if the datagram may open a session
     */
    public static boolean opensSession(ByteBuf datagram, int receiveWindowSegments) {
        return opensSession(datagram, receiveWindowSegments, false);
    }

    /**
     * Returns {@code true} if a datagram may open a session of a peer that has proved that it receives datagrams from this side. In
     * addition to the datagrams for which {@link #opensSession} returns {@code true}, such a peer may send a WASK together with its PUSH
     * segments, and ACKs and empty PUSH segments with {@code sn} -1, which acknowledge probes and probe this side.
     *
     * @param datagram              the datagram, borrowed; only its readable bytes are read
     * @param receiveWindowSegments the receive window that the session would have, in segments
     * @return {@code true} if the datagram may open a session
     */
    public static boolean opensSessionOfProvenPeer(ByteBuf datagram, int receiveWindowSegments) {
        return opensSession(datagram, receiveWindowSegments, true);
    }

    private static boolean opensSession(ByteBuf datagram, int receiveWindowSegments, boolean proven) {
        int offset = datagram.readerIndex();
        int end = datagram.writerIndex();
        if (end - offset < SegmentHeader.LENGTH) {
            return false;
        }
        int conv = SegmentHeader.conv(datagram, offset);
        boolean containsFirst = false;
        while (offset < end) {
            if (end - offset < SegmentHeader.LENGTH) {
                return false;
            }
            boolean isProbe = proven && isProbe(datagram, offset, conv);
            if (!isProbe && !mayPrecedeAcknowledgements(datagram, offset, conv, receiveWindowSegments)) {
                return false;
            }
            long len = SegmentHeader.len(datagram, offset);
            if (len > end - offset - SegmentHeader.LENGTH) {
                return false;
            }
            containsFirst |= !isProbe && SegmentHeader.sn(datagram, offset) == 0;
            offset += SegmentHeader.LENGTH + (int) len;
        }
        return containsFirst;
    }

    /**
     * Returns the payload of the segment with {@code sn} 0.
     *
     * @param datagram a datagram for which {@link #opensSession} returns {@code true}, borrowed
     * @return a slice that shares the memory and the reference count of the datagram
     */
    public static ByteBuf firstPayload(ByteBuf datagram) {
        int offset = datagram.readerIndex();
        while (SegmentHeader.cmd(datagram, offset) != SegmentHeader.CMD_PUSH || SegmentHeader.sn(datagram, offset) != 0) {
            offset += SegmentHeader.LENGTH + (int) SegmentHeader.len(datagram, offset);
        }
        return datagram.slice(offset + SegmentHeader.LENGTH, (int) SegmentHeader.len(datagram, offset));
    }

    /** Returns {@code true} if a segment asks for the window, acknowledges a probe, or is a probe itself. */
    private static boolean isProbe(ByteBuf datagram, int offset, int conv) {
        if (SegmentHeader.conv(datagram, offset) != conv || SegmentHeader.una(datagram, offset) != 0) {
            return false;
        }
        int cmd = SegmentHeader.cmd(datagram, offset);
        return cmd == SegmentHeader.CMD_WASK || (cmd == SegmentHeader.CMD_ACK || cmd == SegmentHeader.CMD_PUSH)
            && SegmentHeader.sn(datagram, offset) == BEFORE_FIRST_SN && SegmentHeader.len(datagram, offset) == 0;
    }

    private static boolean mayPrecedeAcknowledgements(ByteBuf datagram, int offset, int conv, int receiveWindowSegments) {
        return SegmentHeader.conv(datagram, offset) == conv && SegmentHeader.cmd(datagram, offset) == SegmentHeader.CMD_PUSH
            && SegmentHeader.una(datagram, offset) == 0 && SegmentHeader.frg(datagram, offset) < KcpConfig.MAX_FRAGMENTS
            && Integer.compareUnsigned(SegmentHeader.sn(datagram, offset), receiveWindowSegments) < 0;
    }
}

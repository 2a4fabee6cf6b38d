package io.kcp.core;

import io.netty.buffer.ByteBuf;

/** Decides whether a datagram can be the first one that a server receives of a new session. */
public final class FirstDatagram {

    private FirstDatagram() {
    }

    /**
     * Returns whether a datagram may open a session. Such a datagram parses whole, contains only PUSH segments of one
     * conversation with {@code una} 0, {@code sn} inside the receive window and {@code frg} below 255, and contains the segment with
     * {@code sn} 0.
     *
     * <p>A later segment opens no session: its sender may have had {@code sn} 0 acknowledged by a session that is closed, and the
     * new session would acknowledge segments that it can never deliver. A client whose segment 0 is lost or reordered retransmits
     * the later segments, because none of them is acknowledged.
     *
     * <p>A message of more fragments than the receive window has segments opens a session. That session does not store the
     * message but answers with its window, from which the client learns that the message is too large. An attacker gains nothing by
     * such a {@code frg}: the answer is as large as an acknowledgement, and the session counts as unvalidated.
     *
     * @param datagram              the datagram, borrowed; only its readable bytes are read
     * @param receiveWindowSegments the receive window that the session would have, in segments
     * @return {@code true} if a session may be opened for it
     */
    public static boolean opensSession(ByteBuf datagram, int receiveWindowSegments) {
        int offset = datagram.readerIndex();
        int end = datagram.writerIndex();
        if (end - offset < SegmentHeader.LENGTH) {
            return false;
        }
        int conv = SegmentHeader.conv(datagram, offset);
        boolean containsFirst = false;
        while (offset < end) {
            if (end - offset < SegmentHeader.LENGTH || !mayPrecedeAcknowledgements(datagram, offset, conv, receiveWindowSegments)) {
                return false;
            }
            long len = SegmentHeader.len(datagram, offset);
            if (len > end - offset - SegmentHeader.LENGTH) {
                return false;
            }
            containsFirst |= SegmentHeader.sn(datagram, offset) == 0;
            offset += SegmentHeader.LENGTH + (int) len;
        }
        return containsFirst;
    }

    private static boolean mayPrecedeAcknowledgements(ByteBuf datagram, int offset, int conv, int receiveWindowSegments) {
        return SegmentHeader.conv(datagram, offset) == conv && SegmentHeader.cmd(datagram, offset) == SegmentHeader.CMD_PUSH
            && SegmentHeader.una(datagram, offset) == 0 && SegmentHeader.frg(datagram, offset) < KcpConfig.MAX_FRAGMENTS
            && Integer.compareUnsigned(SegmentHeader.sn(datagram, offset), receiveWindowSegments) < 0;
    }
}

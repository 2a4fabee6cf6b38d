package io.kcp.core;

import io.netty.buffer.ByteBuf;

/**
 * The 24-byte header in front of every segment, little-endian, followed by {@code len} payload bytes. Segments lie back
 * to back in a datagram; a tail shorter than a header is ignored.
 *
 * <pre>
 *  0       4   5   6       8      12      16      20      24
 *  +-------+---+---+-------+-------+-------+-------+-------+---------
 *  | conv  |cmd|frg|  wnd  |  ts   |  sn   |  una  |  len  | payload
 *  +-------+---+---+-------+-------+-------+-------+-------+---------
 * </pre>
 *
 * <p>Checked against kcp-go ({@code segment.encode}); section 1 of {@code wire-format.md}. The methods read and write in
 * place and keep no state; all of them <b>borrow</b> the buffer.
 */
public final class SegmentHeader {

    /** Length of the header in bytes. */
    public static final int LENGTH = 24;
    /** {@code cmd} of a segment that carries payload. */
    public static final int CMD_PUSH = 81;
    /** {@code cmd} of an acknowledgement. */
    public static final int CMD_ACK = 82;
    /** {@code cmd} of the question for the peer's window. */
    public static final int CMD_WASK = 83;
    /** {@code cmd} of the answer that tells the window. */
    public static final int CMD_WINS = 84;

    static final int CMD_OFFSET = 4;
    static final int FRG_OFFSET = 5;
    static final int WND_OFFSET = 6;
    static final int TS_OFFSET = 8;
    static final int SN_OFFSET = 12;
    static final int UNA_OFFSET = 16;
    static final int LEN_OFFSET = 20;

    private static final long UNSIGNED_INT = 0xFFFFFFFFL;

    private SegmentHeader() {
    }

    /**
     * Reads {@code conv}, the conversation id.
     *
     * @param datagram the datagram, borrowed
     * @param offset   index of the header
     * @return the conversation id
     */
    public static int conv(ByteBuf datagram, int offset) {
        return datagram.getIntLE(offset);
    }

    /**
     * Reads {@code cmd}, one of the {@code CMD_} constants in a valid segment.
     *
     * @param datagram the datagram, borrowed
     * @param offset   index of the header
     * @return the command, 0 to 255
     */
    public static int cmd(ByteBuf datagram, int offset) {
        return datagram.getUnsignedByte(offset + CMD_OFFSET);
    }

    /**
     * Reads {@code frg}, the number of fragments of the message that follow this one.
     *
     * @param datagram the datagram, borrowed
     * @param offset   index of the header
     * @return fragments that follow, 0 to 255
     */
    public static int frg(ByteBuf datagram, int offset) {
        return datagram.getUnsignedByte(offset + FRG_OFFSET);
    }

    /**
     * Reads {@code wnd}, the sender's free receive slots in segments.
     *
     * @param datagram the datagram, borrowed
     * @param offset   index of the header
     * @return free slots, 0 to 65535
     */
    public static int wnd(ByteBuf datagram, int offset) {
        return datagram.getUnsignedShortLE(offset + WND_OFFSET);
    }

    /**
     * Reads {@code ts}: in a PUSH the sender's clock, in an ACK the {@code ts} of the PUSH that it acknowledges.
     *
     * @param datagram the datagram, borrowed
     * @param offset   index of the header
     * @return the timestamp, opaque to everybody but who wrote it first
     */
    public static int ts(ByteBuf datagram, int offset) {
        return datagram.getIntLE(offset + TS_OFFSET);
    }

    /**
     * Reads {@code sn}, the segment number.
     *
     * @param datagram the datagram, borrowed
     * @param offset   index of the header
     * @return the segment number
     */
    public static int sn(ByteBuf datagram, int offset) {
        return datagram.getIntLE(offset + SN_OFFSET);
    }

    /**
     * Reads {@code una}: everything before it has arrived at the sender of this segment.
     *
     * @param datagram the datagram, borrowed
     * @param offset   index of the header
     * @return the first segment number that is still missing
     */
    public static int una(ByteBuf datagram, int offset) {
        return datagram.getIntLE(offset + UNA_OFFSET);
    }

    /**
     * Reads {@code len}, the payload length, as unsigned.
     *
     * @param datagram the datagram, borrowed
     * @param offset   index of the header
     * @return payload bytes, 0 to 4294967295
     */
    public static long len(ByteBuf datagram, int offset) {
        return datagram.getUnsignedIntLE(offset + LEN_OFFSET);
    }

    /**
     * Appends a header.
     *
     * @param out  where to, borrowed; must have room for {@value #LENGTH} bytes
     * @param conv the conversation id
     * @param cmd  the command
     * @param frg  fragments that follow
     * @param wnd  free receive slots, 0 to 65535
     * @param ts   the timestamp
     * @param sn   the segment number
     * @param una  everything before it has arrived
     * @param len  payload bytes that follow
     */
    public static void write(ByteBuf out, int conv, int cmd, int frg, int wnd, int ts, int sn, int una, int len) {
        // Three 8-byte stores instead of eight small ones.
        int index = out.writerIndex();
        out.setLongLE(index, conv & UNSIGNED_INT | (long) cmd << 32 | (long) frg << 40 | (long) wnd << 48);
        out.setLongLE(index + TS_OFFSET, ts & UNSIGNED_INT | (long) sn << 32);
        out.setLongLE(index + UNA_OFFSET, una & UNSIGNED_INT | (long) len << 32);
        out.writerIndex(index + LENGTH);
    }

    /**
     * Returns whether a datagram may open a session. Such a datagram parses whole, holds nothing but PUSH segments of one
     * conversation with {@code una} 0, {@code sn} inside the receive window and {@code frg} below 255, and holds the segment with
     * {@code sn} 0.
     *
     * <p>A later segment opens no session: its sender may have had {@code sn} 0 acknowledged by a session that is closed, and the
     * new session would acknowledge segments that it can never deliver. A client whose segment 0 is lost or reordered retransmits
     * the later segments, because none of them is acknowledged.
     *
     * <p>A message of more fragments than the receive window has segments opens a session. That session does not store the
     * message but answers with its window, from which the client learns that the message is too large. A forger gains nothing by
     * such a {@code frg}: the answer is as large as an acknowledgement, and the session counts as unvalidated.
     *
     * @param datagram              the datagram, borrowed; only its readable bytes are read
     * @param receiveWindowSegments the receive window that the session would have, in segments
     * @return {@code true} if a session may be opened for it
     */
    public static boolean isOpener(ByteBuf datagram, int receiveWindowSegments) {
        int offset = datagram.readerIndex();
        int end = datagram.writerIndex();
        if (end - offset < LENGTH) {
            return false;
        }
        int conv = conv(datagram, offset);
        boolean holdsFirst = false;
        while (offset < end) {
            if (end - offset < LENGTH || conv(datagram, offset) != conv || cmd(datagram, offset) != CMD_PUSH
                || una(datagram, offset) != 0 || frg(datagram, offset) >= KcpConfig.MAX_FRAGMENTS
                || Integer.compareUnsigned(sn(datagram, offset), receiveWindowSegments) >= 0) {
                return false;
            }
            long len = len(datagram, offset);
            if (len > end - offset - LENGTH) {
                return false;
            }
            holdsFirst |= sn(datagram, offset) == 0;
            offset += LENGTH + (int) len;
        }
        return holdsFirst;
    }
}

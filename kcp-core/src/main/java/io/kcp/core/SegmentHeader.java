package io.kcp.core;

import io.kcp.core.internal.base.ProtocolConstants;
import io.netty.buffer.ByteBuf;

/**
 * Reads and writes the 24-byte little-endian segment header, which is followed by {@code len} bytes of payload. A datagram contains
 * segments without gaps. If fewer bytes than a header remain after the last segment, they are ignored.
 *
 * <pre>
 *  0       4   5   6       8      12      16      20      24
 *  +-------+---+---+-------+-------+-------+-------+-------+---------
 *  | conv  |cmd|frg|  wnd  |  ts   |  sn   |  una  |  len  | payload
 *  +-------+---+---+-------+-------+-------+-------+-------+---------
 * </pre>
 *
 * <p>Implements section 1 of {@code wire-format.md}, and is checked against kcp-go ({@code segment.encode}). The methods are stateless,
 * access the buffer in place and <b>borrow</b> it.
 */
public final class SegmentHeader {

    /** Length of the segment header in bytes. */
    public static final int LENGTH = ProtocolConstants.HEADER_BYTES;
    /** Value of {@code cmd} in a segment with payload. */
    public static final int CMD_PUSH = 81;
    /** Value of {@code cmd} in an acknowledgement. */
    public static final int CMD_ACK = 82;
    /** Value of {@code cmd} in a window probe, which asks the peer for its receive window. */
    public static final int CMD_WASK = 83;
    /** Value of {@code cmd} in a window announcement, which is the response to a window probe. */
    public static final int CMD_WINS = 84;
    /** Value of {@code cmd} in a {@link io.kcp.core.conversation.CloseNotice}, which only this library sends and reads. */
    public static final int CMD_CLOSE = 85;

    static final int CMD_OFFSET = 4;
    static final int FRG_OFFSET = 5;
    static final int WND_OFFSET = 6;
    public static final int TS_OFFSET = 8;
    static final int SN_OFFSET = 12;
    public static final int UNA_OFFSET = 16;
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
     * Reads {@code cmd}, which in a valid segment is one of the {@code CMD_} constants.
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
     * Reads {@code wnd}, the free space of the sender's receive window, in segments.
     *
     * @param datagram the datagram, borrowed
     * @param offset   index of the header
     * @return segments, 0 to 65535
     */
    public static int wnd(ByteBuf datagram, int offset) {
        return datagram.getUnsignedShortLE(offset + WND_OFFSET);
    }

    /**
     * Reads {@code ts}, which in a PUSH is the sender's clock and in an ACK is the {@code ts} of the acknowledged PUSH.
     *
     * @param datagram the datagram, borrowed
     * @param offset   index of the header
     * @return the timestamp, opaque to every side except the sender of the PUSH
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
     * Reads {@code una}, the lowest segment number that the sender of this segment has not received.
     *
     * @param datagram the datagram, borrowed
     * @param offset   index of the header
     * @return the lowest segment number that is still missing
     */
    public static int una(ByteBuf datagram, int offset) {
        return datagram.getIntLE(offset + UNA_OFFSET);
    }

    /**
     * Reads {@code len}, the payload length, as an unsigned number.
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
     * @param out  the buffer, borrowed; must have room for {@value #LENGTH} bytes
     * @param conv the conversation id
     * @param cmd  the command
     * @param frg  fragments that follow
     * @param wnd  free space in the receive window in segments, 0 to 65535
     * @param ts   the timestamp
     * @param sn   the segment number
     * @param una  the lowest segment number that was not received
     * @param len  payload bytes that follow
     */
    public static void write(ByteBuf out, int conv, int cmd, int frg, int wnd, int ts, int sn, int una, int len) {
        // Writing the header with three 8-byte stores is faster than writing its eight fields one by one.
        int index = out.writerIndex();
        out.setLongLE(index, conv & UNSIGNED_INT | (long) cmd << 32 | (long) frg << 40 | (long) wnd << 48);
        out.setLongLE(index + TS_OFFSET, ts & UNSIGNED_INT | (long) sn << 32);
        out.setLongLE(index + UNA_OFFSET, una & UNSIGNED_INT | (long) len << 32);
        out.writerIndex(index + LENGTH);
    }
}

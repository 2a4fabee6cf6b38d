package io.kcp.core.fec;

import io.netty.buffer.ByteBuf;

/**
 * Reads and writes the 8-byte little-endian FEC header, which precedes every datagram of a sender with forward error correction.
 *
 * <pre>
 *  0       4       6       8
 *  +-------+-------+-------+---------------------
 *  | seqid | 00F1  | SIZE  | KCP datagram             data; SIZE = 2 + its length
 *  +-------+-------+-------+---------------------
 *  | seqid | 00F2  | parity of SIZE and datagram      as long as the longest datagram of its group
 *  +-------+-------+-------+-------+-------------
 *  | FFFFFFFF 00F3 | SIZE  | conv  | payload          out of band; SIZE = 2 + 4 + payload
 *  +-------+-------+-------+-------+-------------
 *  0       4       6       8       12
 * </pre>
 *
 * <p>The type is located where a datagram without this header has the fields {@code cmd} and {@code frg}. Their values never equal a type,
 * so a receiver can tell whether this header is present. The shard starts at SIZE. Implements section 4 of {@code wire-format-layers.md},
 * and is checked against kcp-go ({@code fec.go}). The methods are stateless, access the buffer in place and <b>borrow</b> it.
 */
public final class FecHeader {

    /** Length of the FEC header in bytes. */
    public static final int LENGTH = 8;
    /** Length in bytes of the header of an out-of-band datagram, including the conversation id. */
    public static final int OOB_LENGTH = 12;
    /** Header type of a datagram that contains a KCP datagram. */
    public static final int TYPE_DATA = 0x00F1;
    /** Header type of a datagram that contains parity. */
    public static final int TYPE_PARITY = 0x00F2;
    /** Header type of an out-of-band datagram, which belongs to no group. */
    public static final int TYPE_OOB = 0x00F3;
    /** Seqid of all out-of-band datagrams. */
    public static final int OOB_SEQID = 0xFFFFFFFF;

    static final int TYPE_OFFSET = 4;
    static final int SIZE_OFFSET = 6;
    static final int OOB_CONV_OFFSET = 8;
    static final int SIZE_LENGTH = 2;

    private static final int CONV_LENGTH = 4;

    private FecHeader() {
    }

    /**
     * Returns {@code true} if a datagram starts with an FEC header.
     *
     * @param datagram the datagram, borrowed; only its readable bytes are read
     * @return {@code true} if the datagram is long enough and the header has one of the three types
     */
    public static boolean isPresent(ByteBuf datagram) {
        if (datagram.readableBytes() < LENGTH) {
            return false;
        }
        int type = type(datagram, datagram.readerIndex());
        return type == TYPE_DATA || type == TYPE_PARITY || type == TYPE_OOB && datagram.readableBytes() >= OOB_LENGTH;
    }

    /**
     * Reads the seqid, which is an unsigned number.
     *
     * @param datagram the datagram, borrowed
     * @param offset   index of the header
     * @return the seqid
     */
    public static int seqid(ByteBuf datagram, int offset) {
        return datagram.getIntLE(offset);
    }

    /**
     * Reads the type, which in a valid header is one of the {@code TYPE_} constants.
     *
     * @param datagram the datagram, borrowed
     * @param offset   index of the header
     * @return the type, 0 to 65535
     */
    public static int type(ByteBuf datagram, int offset) {
        return datagram.getUnsignedShortLE(offset + TYPE_OFFSET);
    }

    /**
     * Reads the SIZE field of a data or out-of-band datagram, which contains the number of bytes from the start of this field to the end of
     * the datagram.
     *
     * @param datagram the datagram, borrowed
     * @param offset   index of the header
     * @return the size in bytes, 0 to 65535
     */
    public static int size(ByteBuf datagram, int offset) {
        return datagram.getUnsignedShortLE(offset + SIZE_OFFSET);
    }

    /**
     * Reads the conversation id of an out-of-band datagram.
     *
     * @param datagram the datagram, borrowed
     * @param offset   index of the header
     * @return the conversation id
     */
    public static int oobConv(ByteBuf datagram, int offset) {
        return datagram.getIntLE(offset + OOB_CONV_OFFSET);
    }

    /**
     * Writes the header of a data datagram directly before the payload.
     *
     * @param datagram     the datagram, borrowed; its indices do not change
     * @param offset       index of the header, {@value #LENGTH} before the payload
     * @param seqid        the seqid
     * @param payloadBytes length of the KCP datagram
     */
    public static void setData(ByteBuf datagram, int offset, int seqid, int payloadBytes) {
        set(datagram, offset, seqid, TYPE_DATA, SIZE_LENGTH + payloadBytes);
    }

    /**
     * Writes the header of an out-of-band datagram, including the conversation id, directly before the payload.
     *
     * @param datagram     the datagram, borrowed; its indices do not change
     * @param offset       index of the header, {@value #OOB_LENGTH} before the payload
     * @param conv         the conversation id
     * @param payloadBytes length of the payload, at least 0
     */
    public static void setOob(ByteBuf datagram, int offset, int conv, int payloadBytes) {
        set(datagram, offset, OOB_SEQID, TYPE_OOB, SIZE_LENGTH + CONV_LENGTH + payloadBytes);
        datagram.setIntLE(offset + OOB_CONV_OFFSET, conv);
    }

    /** Appends the header of a parity shard to a buffer. */
    static void writeParity(ByteBuf out, int seqid) {
        out.writeIntLE(seqid).writeShortLE(TYPE_PARITY);
    }

    private static void set(ByteBuf datagram, int offset, int seqid, int type, int size) {
        datagram.setLongLE(offset, seqid & 0xFFFFFFFFL | (long) type << 32 | (long) size << 48);
    }
}

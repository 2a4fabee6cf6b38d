package io.kcp.core.crypto;

import io.netty.buffer.ByteBuf;

/**
 * An array that datagrams are copied to and from: that costs little beside any cipher, and ciphers and checksums run
 * fastest on arrays. It grows to the longest datagram seen.
 */
final class Scratch {

    /** No UDP datagram is longer. */
    static final int MAX_DATAGRAM_BYTES = 65_535;

    private static final int INITIAL_BYTES = 2048;

    private byte[] bytes = new byte[INITIAL_BYTES];

    /** Returns the array, with room for a datagram of that many bytes. */
    byte[] forLength(int length) {
        if (bytes.length < length) {
            bytes = new byte[Integer.highestOneBit(length - 1) << 1];
        }
        return bytes;
    }

    /** Copies all readable bytes to the array, from {@code offset} on; the indices stay. */
    static void copyReadable(ByteBuf from, byte[] to, int offset) {
        int readerIndex = from.readerIndex();
        // getBytes would duplicate the NIO buffer below where Netty works without Unsafe.
        from.readBytes(to, offset, from.writerIndex() - readerIndex);
        from.readerIndex(readerIndex);
    }

    /** Makes sure that the readable bytes have that much room around them, or throws. */
    static void requireRoom(ByteBuf datagram, int headBytes, int tailBytes) {
        if (datagram.readerIndex() < headBytes) {
            throw new IllegalArgumentException("datagram.readerIndex: " + datagram.readerIndex() + " (expected: at least "
                + headBytes + ')');
        }
        if (datagram.maxWritableBytes() < tailBytes) {
            throw new IllegalArgumentException("datagram.maxWritableBytes: " + datagram.maxWritableBytes()
                + " (expected: at least " + tailBytes + ')');
        }
        if (datagram.readableBytes() > MAX_DATAGRAM_BYTES - headBytes - tailBytes) {
            throw new IllegalArgumentException("datagram.readableBytes: " + datagram.readableBytes() + " (expected: at most "
                + (MAX_DATAGRAM_BYTES - headBytes - tailBytes) + ')');
        }
        datagram.ensureWritable(tailBytes);
    }
}

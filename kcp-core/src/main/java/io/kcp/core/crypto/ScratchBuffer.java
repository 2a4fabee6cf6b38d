package io.kcp.core.crypto;

import io.netty.buffer.ByteBuf;

/**
 * A reusable array into which datagrams are copied before they are encrypted or decrypted. Ciphers and checksums are fastest on arrays, and
 * copying is cheap compared with any cipher. The array grows to the length of the longest datagram.
 */
final class ScratchBuffer {

    /** Maximum length of a UDP datagram in bytes. */
    static final int MAX_DATAGRAM_BYTES = 65_535;

    private static final int INITIAL_BYTES = 2048;

    private byte[] bytes = new byte[INITIAL_BYTES];

    /** Returns the array. If it is shorter than {@code length} bytes, it is enlarged first. */
    byte[] forLength(int length) {
        if (bytes.length < length) {
            bytes = new byte[Integer.highestOneBit(length - 1) << 1];
        }
        return bytes;
    }

    /** Copies all readable bytes of a buffer to an array at {@code offset}. The indices of the buffer do not change. */
    static void copyReadable(ByteBuf from, byte[] to, int offset) {
        int readerIndex = from.readerIndex();
        // Calls readBytes() instead of getBytes(), because getBytes() allocates a duplicate of the NIO buffer if Unsafe is unavailable.
        from.readBytes(to, offset, from.writerIndex() - readerIndex);
        from.readerIndex(readerIndex);
    }

    /** Throws an exception if a buffer has too little room before or after its readable bytes. */
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

package io.kcp.core.crypto;

import io.netty.buffer.ByteBuf;

/**
 * A reusable array into which datagrams are copied before they are encrypted or decrypted. Ciphers and checksums are fastest on
 * arrays, and copying is cheap compared with any cipher. The array grows to the length of the longest datagram.
 */
final class ScratchBuffer {

    /** Upper bound of the length of a UDP datagram. */
    static final int MAX_DATAGRAM_BYTES = 65_535;

    private static final int INITIAL_BYTES = 2048;

    private byte[] bytes = new byte[INITIAL_BYTES];

    /** Returns the array, enlarged if it is shorter than {@code length}. */
    byte[] forLength(int length) {
        if (bytes.length < length) {
            bytes = new byte[Integer.highestOneBit(length - 1) << 1];
        }
        return bytes;
    }

    /** Copies all readable bytes to the array, starting at {@code offset}. The indices of the buffer do not change. */
    static void copyReadable(ByteBuf from, byte[] to, int offset) {
        int readerIndex = from.readerIndex();
        // Without Unsafe, getBytes allocates a duplicate of the NIO buffer. readBytes does not.
        from.readBytes(to, offset, from.writerIndex() - readerIndex);
        from.readerIndex(readerIndex);
    }

    /** Ensures that a buffer has room before and after its readable bytes, and throws an exception if it does not. */
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

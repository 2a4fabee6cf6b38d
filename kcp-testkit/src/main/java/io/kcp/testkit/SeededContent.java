package io.kcp.testkit;

import io.netty.buffer.ByteBuf;

/**
 * An infinite sequence of bytes that depends only on a seed. Sender and receiver generate the sequence independently, so the receiver
 * detects every lost, repeated, swapped or modified byte.
 */
final class SeededContent {

    private static final long GOLDEN = 0x9E3779B97F4A7C15L;

    private final long seed;

    SeededContent(long seed) {
        this.seed = seed;
    }

    /** Appends bytes of the sequence to a borrowed buffer, starting with the byte at {@code position}. */
    void write(ByteBuf out, long position, int bytes) {
        long at = position;
        int left = bytes;
        for (; left >= Long.BYTES; left -= Long.BYTES, at += Long.BYTES) {
            out.writeLongLE(longAt(at));
        }
        for (; left > 0; left--, at++) {
            out.writeByte((int) longAt(at));
        }
    }

    /**
     * Compares a borrowed buffer with the sequence from {@code position} on. Returns the position of the first byte that differs, or -1.
     */
    long mismatch(ByteBuf in, long position) {
        int index = in.readerIndex();
        int end = in.writerIndex();
        long at = position;
        for (; end - index >= Long.BYTES; index += Long.BYTES, at += Long.BYTES) {
            long expected = longAt(at);
            long actual = in.getLongLE(index);
            if (expected != actual) {
                return at + (Long.numberOfTrailingZeros(expected ^ actual) >> 3);
            }
        }
        for (; index < end; index++, at++) {
            if (in.getByte(index) != (byte) longAt(at)) {
                return at;
            }
        }
        return -1;
    }

    /** Returns the eight bytes at a position. The lowest bits contain the first byte. */
    private long longAt(long position) {
        long word = position >> 3;
        int shift = (int) (position & 7) << 3;
        long low = word(word) >>> shift;
        return shift == 0 ? low : low | word(word + 1) << 64 - shift;
    }

    private long word(long index) {
        long mixed = (seed + index) * GOLDEN;
        mixed = (mixed ^ mixed >>> 32) * GOLDEN;
        return mixed ^ mixed >>> 29;
    }
}

package io.kcp.core;

import io.netty.buffer.ByteBuf;

/**
 * Endless bytes that a seed determines: writer and reader make them independently, so a transfer is compared byte by
 * byte at its absolute position, and a lost, repeated, swapped or changed byte shows at once.
 */
public final class SeededContent {

    private static final long GOLDEN = 0x9E3779B97F4A7C15L;

    private final long seed;

    /**
     * Creates the content of a seed.
     *
     * @param seed seed
     */
    public SeededContent(long seed) {
        this.seed = seed;
    }

    /**
     * Appends a part of the content.
     *
     * @param out      where to, <b>borrowed</b>; it has room
     * @param position place of the first byte in the content
     * @param bytes    how many bytes
     */
    public void write(ByteBuf out, long position, int bytes) {
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
     * Compares all readable bytes with the content.
     *
     * @param in       the bytes, <b>borrowed</b>; its indexes stay as they are
     * @param position place of the first byte in the content
     * @return place of the first byte that differs, -1 if none does
     */
    public long mismatch(ByteBuf in, long position) {
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

    /** Returns the eight bytes from a place on, the first in the lowest bits. */
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

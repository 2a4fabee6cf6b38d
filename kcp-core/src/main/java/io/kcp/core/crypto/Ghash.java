package io.kcp.core.crypto;

/**
 * Computes GHASH (NIST SP 800-38D, section 6.4) with integer multiplications. Each operand is split into four numbers whose bits are four
 * positions apart, so that the carries of their products do not reach the next bit. No branch and no array index depends on secret data.
 */
final class Ghash {

    static final int BLOCK_BYTES = 16;

    private static final long EVERY_FOURTH = 0x1111_1111_1111_1111L;

    /** The hash key: its last and its first 8 bytes, their sum, and the same numbers with the bits reversed. */
    private final long low;
    private final long high;
    private final long sum;
    private final long lowReversed;
    private final long highReversed;
    private final long sumReversed;
    private long y0;
    private long y1;

    /** Creates an instance for the hash key in the first 16 bytes of an array. */
    Ghash(byte[] key) {
        high = Words.longBE(key, 0);
        low = Words.longBE(key, Long.BYTES);
        sum = high ^ low;
        lowReversed = Long.reverse(low);
        highReversed = Long.reverse(high);
        sumReversed = lowReversed ^ highReversed;
    }

    /** Starts a new hash. */
    void start() {
        y0 = 0;
        y1 = 0;
    }

    /** Processes {@code length} bytes. The last block is processed as if zeros followed it. The array must contain these zeros. */
    void update(byte[] bytes, int offset, int length) {
        for (int i = offset; i < offset + length; i += BLOCK_BYTES) {
            update(Words.longBE(bytes, i), Words.longBE(bytes, i + Long.BYTES));
        }
    }

    /** Processes one block, given by its first and its last 8 bytes in big-endian order. */
    void update(long first, long last) {
        long x1 = y1 ^ first;
        long x0 = y0 ^ last;
        long x1Reversed = Long.reverse(x1);
        long x0Reversed = Long.reverse(x0);
        // Three multiplications give the 256-bit product (Karatsuba). The upper halves are computed from the reversed operands.
        long lowProduct = multiply(x0, low);
        long highProduct = multiply(x1, high);
        long middle = multiply(x0 ^ x1, sum) ^ lowProduct ^ highProduct;
        long lowUpper = multiply(x0Reversed, lowReversed);
        long highUpper = multiply(x1Reversed, highReversed);
        long middleUpper = multiply(x0Reversed ^ x1Reversed, sumReversed) ^ lowUpper ^ highUpper;
        long v0 = lowProduct;
        long v1 = Long.reverse(lowUpper) >>> 1 ^ middle;
        long v2 = highProduct ^ Long.reverse(middleUpper) >>> 1;
        long v3 = Long.reverse(highUpper) >>> 1;
        // GHASH numbers the bits in the opposite order, which shifts the product by one bit.
        v3 = v3 << 1 | v2 >>> 63;
        v2 = v2 << 1 | v1 >>> 63;
        v1 = v1 << 1 | v0 >>> 63;
        v0 <<= 1;
        // Reduces modulo x^128 + x^7 + x^2 + x + 1.
        v1 ^= v0 << 63 ^ v0 << 62 ^ v0 << 57;
        v2 ^= v0 ^ v0 >>> 1 ^ v0 >>> 2 ^ v0 >>> 7;
        v2 ^= v1 << 63 ^ v1 << 62 ^ v1 << 57;
        v3 ^= v1 ^ v1 >>> 1 ^ v1 >>> 2 ^ v1 >>> 7;
        y0 = v2;
        y1 = v3;
    }

    /** Returns the lower 64 bits of the carry-less product. */
    private static long multiply(long x, long y) {
        long x0 = x & EVERY_FOURTH;
        long x1 = x & EVERY_FOURTH << 1;
        long x2 = x & EVERY_FOURTH << 2;
        long x3 = x & EVERY_FOURTH << 3;
        long b0 = y & EVERY_FOURTH;
        long b1 = y & EVERY_FOURTH << 1;
        long b2 = y & EVERY_FOURTH << 2;
        long b3 = y & EVERY_FOURTH << 3;
        return (x0 * b0 ^ x1 * b3 ^ x2 * b2 ^ x3 * b1) & EVERY_FOURTH
            | (x0 * b1 ^ x1 * b0 ^ x2 * b3 ^ x3 * b2) & EVERY_FOURTH << 1
            | (x0 * b2 ^ x1 * b1 ^ x2 * b0 ^ x3 * b3) & EVERY_FOURTH << 2
            | (x0 * b3 ^ x1 * b2 ^ x2 * b1 ^ x3 * b0) & EVERY_FOURTH << 3;
    }

    /** Returns the first 8 bytes of the hash, in big-endian order. */
    long first() {
        return y1;
    }

    /** Returns the last 8 bytes of the hash, in big-endian order. */
    long last() {
        return y0;
    }
}

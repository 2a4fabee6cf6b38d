package io.kcp.core.crypto;

/**
 * Computes Poly1305 tags (RFC 8439) with five limbs of 26 bits, modulo 2<sup>130</sup> - 5. No branch and no array index depends on secret
 * data.
 */
final class Poly1305 {

    static final int BLOCK_BYTES = 16;

    private static final long LIMB = 0x3FFFFFF;
    private static final long BEYOND_BLOCK = 1L << 24;

    private long r0;
    private long r1;
    private long r2;
    private long r3;
    private long r4;
    private long h0;
    private long h1;
    private long h2;
    private long h3;
    private long h4;
    private long addLow;
    private long addHigh;
    private long tagLow;
    private long tagHigh;

    /** Starts a new tag with a one-time key of 32 bytes. */
    void start(byte[] key) {
        long low = Words.longLE(key, 0) & 0x0FFFFFFC0FFFFFFFL;
        long high = Words.longLE(key, 8) & 0x0FFFFFFC0FFFFFFCL;
        r0 = low & LIMB;
        r1 = low >>> 26 & LIMB;
        r2 = (low >>> 52 | high << 12) & LIMB;
        r3 = high >>> 14 & LIMB;
        r4 = high >>> 40;
        addLow = Words.longLE(key, 16);
        addHigh = Words.longLE(key, 24);
        h0 = 0;
        h1 = 0;
        h2 = 0;
        h3 = 0;
        h4 = 0;
    }

    /** Processes {@code length} bytes of the message. The length is a multiple of {@link #BLOCK_BYTES}. */
    void update(byte[] bytes, int offset, int length) {
        long a0 = r0;
        long a1 = r1;
        long a2 = r2;
        long a3 = r3;
        long a4 = r4;
        long b1 = a1 * 5;
        long b2 = a2 * 5;
        long b3 = a3 * 5;
        long b4 = a4 * 5;
        long x0 = h0;
        long x1 = h1;
        long x2 = h2;
        long x3 = h3;
        long x4 = h4;
        for (int i = offset; i < offset + length; i += BLOCK_BYTES) {
            long low = Words.longLE(bytes, i);
            long high = Words.longLE(bytes, i + 8);
            x0 += low & LIMB;
            x1 += low >>> 26 & LIMB;
            x2 += (low >>> 52 | high << 12) & LIMB;
            x3 += high >>> 14 & LIMB;
            x4 += high >>> 40 | BEYOND_BLOCK;
            long y0 = x0 * a0 + x1 * b4 + x2 * b3 + x3 * b2 + x4 * b1;
            long y1 = x0 * a1 + x1 * a0 + x2 * b4 + x3 * b3 + x4 * b2;
            long y2 = x0 * a2 + x1 * a1 + x2 * a0 + x3 * b4 + x4 * b3;
            long y3 = x0 * a3 + x1 * a2 + x2 * a1 + x3 * a0 + x4 * b4;
            long y4 = x0 * a4 + x1 * a3 + x2 * a2 + x3 * a1 + x4 * a0;
            // Propagates the carries in two parallel chains, which leave some limbs slightly longer than 26 bits. The excess is too small
            // to overflow the products of the next block.
            y1 += y0 >>> 26;
            y4 += y3 >>> 26;
            x0 = y0 & LIMB;
            x3 = y3 & LIMB;
            y2 += y1 >>> 26;
            x0 += (y4 >>> 26) * 5;
            x1 = y1 & LIMB;
            x4 = y4 & LIMB;
            x3 += y2 >>> 26;
            x1 += x0 >>> 26;
            x2 = y2 & LIMB;
            x0 &= LIMB;
            x4 += x3 >>> 26;
            x3 &= LIMB;
        }
        h0 = x0;
        h1 = x1;
        h2 = x2;
        h3 = x3;
        h4 = x4;
    }

    /** Completes the tag, which {@link #tagLow()} and {@link #tagHigh()} then return. */
    void finish() {
        carry();
        carry();
        // If h is not fully reduced, h + 5 is at least 2^130, and the tag is computed from g = h + 5 - 2^130 instead of h.
        long g0 = h0 + 5;
        long g1 = h1 + (g0 >>> 26);
        long g2 = h2 + (g1 >>> 26);
        long g3 = h3 + (g2 >>> 26);
        long g4 = h4 + (g3 >>> 26) - (1L << 26);
        long keep = g4 >> 63;
        long x0 = h0 & keep | g0 & LIMB & ~keep;
        long x1 = h1 & keep | g1 & LIMB & ~keep;
        long x2 = h2 & keep | g2 & LIMB & ~keep;
        long x3 = h3 & keep | g3 & LIMB & ~keep;
        long x4 = h4 & keep | g4 & LIMB & ~keep;
        long low = x0 | x1 << 26 | x2 << 52;
        long high = x2 >>> 12 | x3 << 14 | x4 << 40;
        tagLow = low + addLow;
        long carry = (low & addLow | (low | addLow) & ~tagLow) >>> 63;
        tagHigh = high + addHigh + carry;
    }

    private void carry() {
        h1 += h0 >>> 26;
        h0 &= LIMB;
        h2 += h1 >>> 26;
        h1 &= LIMB;
        h3 += h2 >>> 26;
        h2 &= LIMB;
        h4 += h3 >>> 26;
        h3 &= LIMB;
        h0 += (h4 >>> 26) * 5;
        h4 &= LIMB;
    }

    /** Returns bytes 0 to 7 of the tag, little-endian. */
    long tagLow() {
        return tagLow;
    }

    /** Returns bytes 8 to 15 of the tag, little-endian. */
    long tagHigh() {
        return tagHigh;
    }
}

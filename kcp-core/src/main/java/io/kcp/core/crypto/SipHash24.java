package io.kcp.core.crypto;

/** SipHash-2-4 (Aumasson, Bernstein 2012) of one 64-bit word, which counts as its 8 bytes in little-endian order. */
final class SipHash24 {

    /** The length of the message, 8 bytes, as the last block has it. */
    private static final long LENGTH_BLOCK = (long) Long.BYTES << 56;

    private SipHash24() {
    }

    static long hash(long k0, long k1, long word) {
        long v0 = k0 ^ 0x736f6d6570736575L;
        long v1 = k1 ^ 0x646f72616e646f6dL;
        long v2 = k0 ^ 0x6c7967656e657261L;
        long v3 = k1 ^ 0x7465646279746573L ^ word;
        // Rounds 1 and 2 take the word, 3 and 4 the length, 5 to 8 finish.
        for (int round = 1; round <= 8; round++) {
            v0 += v1;
            v2 += v3;
            v1 = Long.rotateLeft(v1, 13) ^ v0;
            v3 = Long.rotateLeft(v3, 16) ^ v2;
            v0 = Long.rotateLeft(v0, 32);
            v2 += v1;
            v0 += v3;
            v1 = Long.rotateLeft(v1, 17) ^ v2;
            v3 = Long.rotateLeft(v3, 21) ^ v0;
            v2 = Long.rotateLeft(v2, 32);
            if (round == 2) {
                v0 ^= word;
                v3 ^= LENGTH_BLOCK;
            } else if (round == 4) {
                v0 ^= LENGTH_BLOCK;
                v2 ^= 0xff;
            }
        }
        return v0 ^ v1 ^ v2 ^ v3;
    }
}

package io.kcp.core.crypto;

/**
 * Generates the key stream of ChaCha20 with a 96-bit nonce (RFC 8439). As in {@link Salsa20Transform}, the state consists of sixteen local
 * variables.
 */
final class ChaCha20 {

    static final int BLOCK_BYTES = 64;

    private static final int DOUBLE_ROUNDS = 10;
    /** First of the four words of the constant "expand 32-byte k". */
    private static final int C0 = 0x61707865;
    private static final int C1 = 0x3320646e;
    private static final int C2 = 0x79622d32;
    private static final int C3 = 0x6b206574;

    private final int k0;
    private final int k1;
    private final int k2;
    private final int k3;
    private final int k4;
    private final int k5;
    private final int k6;
    private final int k7;

    ChaCha20(byte[] key) {
        k0 = Words.intLE(key, 0);
        k1 = Words.intLE(key, 4);
        k2 = Words.intLE(key, 8);
        k3 = Words.intLE(key, 12);
        k4 = Words.intLE(key, 16);
        k5 = Words.intLE(key, 20);
        k6 = Words.intLE(key, 24);
        k7 = Words.intLE(key, 28);
    }

    /** XORs 64 bytes of an array with one block of the key stream. */
    void xorBlock(byte[] bytes, int offset, int n0, int n1, int n2, int counter) {
        int x0 = C0;
        int x1 = C1;
        int x2 = C2;
        int x3 = C3;
        int x4 = k0;
        int x5 = k1;
        int x6 = k2;
        int x7 = k3;
        int x8 = k4;
        int x9 = k5;
        int x10 = k6;
        int x11 = k7;
        int x12 = counter;
        int x13 = n0;
        int x14 = n1;
        int x15 = n2;
        for (int i = 0; i < DOUBLE_ROUNDS; i++) {
            x0 += x4;
            x12 = Integer.rotateLeft(x12 ^ x0, 16);
            x1 += x5;
            x13 = Integer.rotateLeft(x13 ^ x1, 16);
            x2 += x6;
            x14 = Integer.rotateLeft(x14 ^ x2, 16);
            x3 += x7;
            x15 = Integer.rotateLeft(x15 ^ x3, 16);
            x8 += x12;
            x4 = Integer.rotateLeft(x4 ^ x8, 12);
            x9 += x13;
            x5 = Integer.rotateLeft(x5 ^ x9, 12);
            x10 += x14;
            x6 = Integer.rotateLeft(x6 ^ x10, 12);
            x11 += x15;
            x7 = Integer.rotateLeft(x7 ^ x11, 12);
            x0 += x4;
            x12 = Integer.rotateLeft(x12 ^ x0, 8);
            x1 += x5;
            x13 = Integer.rotateLeft(x13 ^ x1, 8);
            x2 += x6;
            x14 = Integer.rotateLeft(x14 ^ x2, 8);
            x3 += x7;
            x15 = Integer.rotateLeft(x15 ^ x3, 8);
            x8 += x12;
            x4 = Integer.rotateLeft(x4 ^ x8, 7);
            x9 += x13;
            x5 = Integer.rotateLeft(x5 ^ x9, 7);
            x10 += x14;
            x6 = Integer.rotateLeft(x6 ^ x10, 7);
            x11 += x15;
            x7 = Integer.rotateLeft(x7 ^ x11, 7);

            x0 += x5;
            x15 = Integer.rotateLeft(x15 ^ x0, 16);
            x1 += x6;
            x12 = Integer.rotateLeft(x12 ^ x1, 16);
            x2 += x7;
            x13 = Integer.rotateLeft(x13 ^ x2, 16);
            x3 += x4;
            x14 = Integer.rotateLeft(x14 ^ x3, 16);
            x10 += x15;
            x5 = Integer.rotateLeft(x5 ^ x10, 12);
            x11 += x12;
            x6 = Integer.rotateLeft(x6 ^ x11, 12);
            x8 += x13;
            x7 = Integer.rotateLeft(x7 ^ x8, 12);
            x9 += x14;
            x4 = Integer.rotateLeft(x4 ^ x9, 12);
            x0 += x5;
            x15 = Integer.rotateLeft(x15 ^ x0, 8);
            x1 += x6;
            x12 = Integer.rotateLeft(x12 ^ x1, 8);
            x2 += x7;
            x13 = Integer.rotateLeft(x13 ^ x2, 8);
            x3 += x4;
            x14 = Integer.rotateLeft(x14 ^ x3, 8);
            x10 += x15;
            x5 = Integer.rotateLeft(x5 ^ x10, 7);
            x11 += x12;
            x6 = Integer.rotateLeft(x6 ^ x11, 7);
            x8 += x13;
            x7 = Integer.rotateLeft(x7 ^ x8, 7);
            x9 += x14;
            x4 = Integer.rotateLeft(x4 ^ x9, 7);
        }
        Words.xorTwoIntsLE(bytes, offset, x0 + C0, x1 + C1);
        Words.xorTwoIntsLE(bytes, offset + 8, x2 + C2, x3 + C3);
        Words.xorTwoIntsLE(bytes, offset + 16, x4 + k0, x5 + k1);
        Words.xorTwoIntsLE(bytes, offset + 24, x6 + k2, x7 + k3);
        Words.xorTwoIntsLE(bytes, offset + 32, x8 + k4, x9 + k5);
        Words.xorTwoIntsLE(bytes, offset + 40, x10 + k6, x11 + k7);
        Words.xorTwoIntsLE(bytes, offset + 48, x12 + counter, x13 + n0);
        Words.xorTwoIntsLE(bytes, offset + 56, x14 + n1, x15 + n2);
    }
}

package io.kcp.core.crypto;

/**
 * Implements Salsa20 with 20 rounds. The first 8 bytes of a packet are the nonce and are not encrypted. The remaining bytes are XORed with
 * the key stream. The state consists of sixteen local variables, so that the JIT compiler can keep it in registers.
 */
final class Salsa20Transform implements ArrayDatagramCipher {

    private static final int NONCE_BYTES = 8;
    private static final int BLOCK_BYTES = 64;
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
    private final byte[] lastBlock = new byte[BLOCK_BYTES];

    Salsa20Transform(byte[] key) {
        k0 = Words.intLE(key, 0);
        k1 = Words.intLE(key, 4);
        k2 = Words.intLE(key, 8);
        k3 = Words.intLE(key, 12);
        k4 = Words.intLE(key, 16);
        k5 = Words.intLE(key, 20);
        k6 = Words.intLE(key, 24);
        k7 = Words.intLE(key, 28);
    }

    @Override
    public void encrypt(byte[] packet, int length) {
        int n0 = Words.intLE(packet, 0);
        int n1 = Words.intLE(packet, 4);
        int offset = NONCE_BYTES;
        int counter = 0;
        for (; offset <= length - BLOCK_BYTES; offset += BLOCK_BYTES) {
            xorBlock(packet, offset, n0, n1, counter++);
        }
        int rest = length - offset;
        System.arraycopy(packet, offset, lastBlock, 0, rest);
        xorBlock(lastBlock, 0, n0, n1, counter);
        System.arraycopy(lastBlock, 0, packet, offset, rest);
    }

    @Override
    public void decrypt(byte[] packet, int length) {
        encrypt(packet, length);
    }

    /**
     * XORs 64 bytes of an array with one block of the key stream. The upper half of the 64-bit counter is always 0, because packets are
     * short.
     */
    private void xorBlock(byte[] bytes, int offset, int n0, int n1, int counter) {
        int x0 = C0;
        int x1 = k0;
        int x2 = k1;
        int x3 = k2;
        int x4 = k3;
        int x5 = C1;
        int x6 = n0;
        int x7 = n1;
        int x8 = counter;
        int x9 = 0;
        int x10 = C2;
        int x11 = k4;
        int x12 = k5;
        int x13 = k6;
        int x14 = k7;
        int x15 = C3;
        for (int i = 0; i < DOUBLE_ROUNDS; i++) {
            x4 ^= Integer.rotateLeft(x0 + x12, 7);
            x9 ^= Integer.rotateLeft(x5 + x1, 7);
            x14 ^= Integer.rotateLeft(x10 + x6, 7);
            x3 ^= Integer.rotateLeft(x15 + x11, 7);
            x8 ^= Integer.rotateLeft(x4 + x0, 9);
            x13 ^= Integer.rotateLeft(x9 + x5, 9);
            x2 ^= Integer.rotateLeft(x14 + x10, 9);
            x7 ^= Integer.rotateLeft(x3 + x15, 9);
            x12 ^= Integer.rotateLeft(x8 + x4, 13);
            x1 ^= Integer.rotateLeft(x13 + x9, 13);
            x6 ^= Integer.rotateLeft(x2 + x14, 13);
            x11 ^= Integer.rotateLeft(x7 + x3, 13);
            x0 ^= Integer.rotateLeft(x12 + x8, 18);
            x5 ^= Integer.rotateLeft(x1 + x13, 18);
            x10 ^= Integer.rotateLeft(x6 + x2, 18);
            x15 ^= Integer.rotateLeft(x11 + x7, 18);

            x1 ^= Integer.rotateLeft(x0 + x3, 7);
            x6 ^= Integer.rotateLeft(x5 + x4, 7);
            x11 ^= Integer.rotateLeft(x10 + x9, 7);
            x12 ^= Integer.rotateLeft(x15 + x14, 7);
            x2 ^= Integer.rotateLeft(x1 + x0, 9);
            x7 ^= Integer.rotateLeft(x6 + x5, 9);
            x8 ^= Integer.rotateLeft(x11 + x10, 9);
            x13 ^= Integer.rotateLeft(x12 + x15, 9);
            x3 ^= Integer.rotateLeft(x2 + x1, 13);
            x4 ^= Integer.rotateLeft(x7 + x6, 13);
            x9 ^= Integer.rotateLeft(x8 + x11, 13);
            x14 ^= Integer.rotateLeft(x13 + x12, 13);
            x0 ^= Integer.rotateLeft(x3 + x2, 18);
            x5 ^= Integer.rotateLeft(x4 + x7, 18);
            x10 ^= Integer.rotateLeft(x9 + x8, 18);
            x15 ^= Integer.rotateLeft(x14 + x13, 18);
        }
        Words.xorTwoIntsLE(bytes, offset, x0 + C0, x1 + k0);
        Words.xorTwoIntsLE(bytes, offset + 8, x2 + k1, x3 + k2);
        Words.xorTwoIntsLE(bytes, offset + 16, x4 + k3, x5 + C1);
        Words.xorTwoIntsLE(bytes, offset + 24, x6 + n0, x7 + n1);
        Words.xorTwoIntsLE(bytes, offset + 32, x8 + counter, x9);
        Words.xorTwoIntsLE(bytes, offset + 40, x10 + C2, x11 + k4);
        Words.xorTwoIntsLE(bytes, offset + 48, x12 + k5, x13 + k6);
        Words.xorTwoIntsLE(bytes, offset + 56, x14 + k7, x15 + C3);
    }
}

package io.kcp.core.crypto;

/**
 * Implements the block cipher Twofish. Lookup tables combine the key-dependent S-boxes with the matrix multiplication that follows them.
 */
final class Twofish implements BlockCipher {

    private static final int BLOCK_BYTES = 16;
    private static final int ROUNDS = 16;
    private static final int WHITENING_WORDS = 8;
    private static final int MATRIX_POLYNOMIAL = 0x169;
    private static final int CODE_POLYNOMIAL = 0x14D;
    private static final int EQUAL_BYTES = 0x01010101;

    /** The 8-bit permutations q0 and q1 of the Twofish specification. */
    private static final int[][] Q = {
        permutation("817D6F320B59ECA4", "ECB81235F4A6709D", "BA5E6D90C8F32471", "D7F4126E9B3085CA"),
        permutation("28BDF76E31940AC5", "1E2B4C376DA5F908", "4C75169A0ED82B3F", "B951C3DE647F208A"),
    };
    /** Indexes of the permutations to apply to each of the four bytes of a word. The permutation to apply last comes first. */
    private static final int[][] Q_ORDER = {
        {1, 0, 0, 1, 1}, {0, 0, 1, 1, 0}, {1, 1, 0, 0, 0}, {0, 1, 1, 0, 1},
    };
    private static final int[][] MATRIX = {
        {0x01, 0xEF, 0x5B, 0x5B}, {0x5B, 0xEF, 0xEF, 0x01}, {0xEF, 0x5B, 0x01, 0xEF}, {0xEF, 0x01, 0xEF, 0x5B},
    };
    private static final int[][] CODE = {
        {0x01, 0xA4, 0x55, 0x87, 0x5A, 0x58, 0xDB, 0x9E},
        {0xA4, 0x56, 0x82, 0xF3, 0x1E, 0xC6, 0x68, 0xE5},
        {0x02, 0xA1, 0xFC, 0xC1, 0x47, 0xAE, 0x3D, 0x19},
        {0xA4, 0x55, 0x87, 0x5A, 0x58, 0xDB, 0x9E, 0x03},
    };

    private final int[] subkeys = new int[WHITENING_WORDS + 2 * ROUNDS];
    private final int[] boxes = new int[4 * 256];

    Twofish(byte[] key) {
        int count = key.length / Long.BYTES;
        int[] even = new int[count];
        int[] odd = new int[count];
        int[] coded = new int[count];
        for (int i = 0; i < count; i++) {
            even[i] = Words.intLE(key, i * Long.BYTES);
            odd[i] = Words.intLE(key, i * Long.BYTES + Integer.BYTES);
            coded[count - 1 - i] = code(key, i * Long.BYTES);
        }
        for (int i = 0; i < subkeys.length; i += 2) {
            int a = mixed(i * EQUAL_BYTES, even);
            int b = Integer.rotateLeft(mixed((i + 1) * EQUAL_BYTES, odd), 8);
            subkeys[i] = a + b;
            subkeys[i + 1] = Integer.rotateLeft(a + 2 * b, 9);
        }
        for (int position = 0; position < 4; position++) {
            for (int value = 0; value < 256; value++) {
                boxes[position * 256 + value] = column(position, substituted(position, value, coded));
            }
        }
    }

    @Override
    public int blockBytes() {
        return BLOCK_BYTES;
    }

    @Override
    public void encrypt(byte[] from, int fromOffset, byte[] to, int toOffset) {
        int[] k = subkeys;
        int[] s = boxes;
        int a = Words.intLE(from, fromOffset) ^ k[0];
        int b = Words.intLE(from, fromOffset + 4) ^ k[1];
        int c = Words.intLE(from, fromOffset + 8) ^ k[2];
        int d = Words.intLE(from, fromOffset + 12) ^ k[3];
        for (int i = WHITENING_WORDS; i < WHITENING_WORDS + 2 * ROUNDS; i += 4) {
            int t = low(s, a);
            int u = high(s, b);
            c = Integer.rotateRight(c ^ t + u + k[i], 1);
            d = Integer.rotateLeft(d, 1) ^ t + 2 * u + k[i + 1];
            t = low(s, c);
            u = high(s, d);
            a = Integer.rotateRight(a ^ t + u + k[i + 2], 1);
            b = Integer.rotateLeft(b, 1) ^ t + 2 * u + k[i + 3];
        }
        Words.putIntLE(to, toOffset, c ^ k[4]);
        Words.putIntLE(to, toOffset + 4, d ^ k[5]);
        Words.putIntLE(to, toOffset + 8, a ^ k[6]);
        Words.putIntLE(to, toOffset + 12, b ^ k[7]);
    }

    @Override
    public void encryptTwo(byte[] from, int fromOffset, byte[] to, int toOffset) {
        int[] k = subkeys;
        int[] s = boxes;
        int a = Words.intLE(from, fromOffset) ^ k[0];
        int b = Words.intLE(from, fromOffset + 4) ^ k[1];
        int c = Words.intLE(from, fromOffset + 8) ^ k[2];
        int d = Words.intLE(from, fromOffset + 12) ^ k[3];
        int e = Words.intLE(from, fromOffset + 16) ^ k[0];
        int f = Words.intLE(from, fromOffset + 20) ^ k[1];
        int g = Words.intLE(from, fromOffset + 24) ^ k[2];
        int h = Words.intLE(from, fromOffset + 28) ^ k[3];
        for (int i = WHITENING_WORDS; i < WHITENING_WORDS + 2 * ROUNDS; i += 4) {
            int t = low(s, a);
            int u = high(s, b);
            int v = low(s, e);
            int w = high(s, f);
            c = Integer.rotateRight(c ^ t + u + k[i], 1);
            d = Integer.rotateLeft(d, 1) ^ t + 2 * u + k[i + 1];
            g = Integer.rotateRight(g ^ v + w + k[i], 1);
            h = Integer.rotateLeft(h, 1) ^ v + 2 * w + k[i + 1];
            t = low(s, c);
            u = high(s, d);
            v = low(s, g);
            w = high(s, h);
            a = Integer.rotateRight(a ^ t + u + k[i + 2], 1);
            b = Integer.rotateLeft(b, 1) ^ t + 2 * u + k[i + 3];
            e = Integer.rotateRight(e ^ v + w + k[i + 2], 1);
            f = Integer.rotateLeft(f, 1) ^ v + 2 * w + k[i + 3];
        }
        Words.putIntLE(to, toOffset, c ^ k[4]);
        Words.putIntLE(to, toOffset + 4, d ^ k[5]);
        Words.putIntLE(to, toOffset + 8, a ^ k[6]);
        Words.putIntLE(to, toOffset + 12, b ^ k[7]);
        Words.putIntLE(to, toOffset + 16, g ^ k[4]);
        Words.putIntLE(to, toOffset + 20, h ^ k[5]);
        Words.putIntLE(to, toOffset + 24, e ^ k[6]);
        Words.putIntLE(to, toOffset + 28, f ^ k[7]);
    }

    private static int low(int[] s, int x) {
        return s[x & 0xFF] ^ s[256 + (x >>> 8 & 0xFF)] ^ s[512 + (x >>> 16 & 0xFF)] ^ s[768 + (x >>> 24)];
    }

    /** Applies the S-boxes like {@link #low}, but to {@code x} rotated left by 8 bits. */
    private static int high(int[] s, int x) {
        return s[x >>> 24] ^ s[256 + (x & 0xFF)] ^ s[512 + (x >>> 8 & 0xFF)] ^ s[768 + (x >>> 16 & 0xFF)];
    }

    private static int mixed(int x, int[] words) {
        int result = 0;
        for (int position = 0; position < 4; position++) {
            result ^= column(position, substituted(position, x >>> 8 * position & 0xFF, words));
        }
        return result;
    }

    private static int substituted(int position, int value, int[] words) {
        int[] order = Q_ORDER[position];
        int y = value;
        for (int i = words.length; i > 0; i--) {
            y = Q[order[i]][y] ^ words[i - 1] >>> 8 * position & 0xFF;
        }
        return Q[order[0]][y];
    }

    private static int column(int position, int value) {
        int word = 0;
        for (int row = 0; row < 4; row++) {
            word |= multiply(MATRIX[row][position], value, MATRIX_POLYNOMIAL) << 8 * row;
        }
        return word;
    }

    private static int code(byte[] key, int offset) {
        int word = 0;
        for (int row = 0; row < 4; row++) {
            int sum = 0;
            for (int i = 0; i < Long.BYTES; i++) {
                sum ^= multiply(CODE[row][i], key[offset + i] & 0xFF, CODE_POLYNOMIAL);
            }
            word |= sum << 8 * row;
        }
        return word;
    }

    private static int multiply(int a, int b, int polynomial) {
        int product = 0;
        int shifted = a;
        for (int bits = b; bits != 0; bits >>>= 1) {
            if ((bits & 1) == 1) {
                product ^= shifted;
            }
            shifted <<= 1;
            if (shifted > 0xFF) {
                shifted ^= polynomial;
            }
        }
        return product;
    }

    private static int[] permutation(String t0, String t1, String t2, String t3) {
        int[] permutation = new int[256];
        for (int x = 0; x < permutation.length; x++) {
            int a = x >>> 4 ^ x & 0xF;
            int b = halfMixed(x >>> 4, x & 0xF);
            int c = Character.digit(t0.charAt(a), 16);
            int d = Character.digit(t1.charAt(b), 16);
            permutation[x] = Character.digit(t3.charAt(halfMixed(c, d)), 16) << 4 | Character.digit(t2.charAt(c ^ d), 16);
        }
        return permutation;
    }

    private static int halfMixed(int a, int b) {
        return (a ^ (b >>> 1 | b << 3) ^ a << 3) & 0xF;
    }
}

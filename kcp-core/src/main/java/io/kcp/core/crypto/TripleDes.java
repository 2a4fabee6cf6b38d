package io.kcp.core.crypto;

/**
 * Implements the block cipher Triple DES with three keys (encrypt, decrypt, encrypt). Lookup tables combine the S-boxes with the
 * permutation that follows them. Both halves of a block are kept rotated left by one bit, so that the six input bits of each S-box are
 * adjacent.
 */
final class TripleDes implements BlockCipher {

    private static final int BLOCK_BYTES = 8;
    private static final int KEY_BYTES = 8;
    private static final int ROUNDS = 16;
    private static final int STAGES = 3;
    private static final int HALF_KEY_BITS = 28;

    /** The S-boxes of DES, each as a string of hexadecimal digits. */
    private static final String[] SUBSTITUTIONS = {
        "E4D12FB83A6C59070F74E2D1A6CB953841E8D62BFC973A50FC8249175B3EA06D",
        "F18E6B34972DC05A3D47F28EC01A69B50E7BA4D158C6932FD8A13F42B67C05E9",
        "A09E63F51DC7B428D709346A285ECBF1D6498F30B12C5AE71AD069874FE3B52C",
        "7DE3069A1285BC4FD8B56F03472C1AE9A690CB7DF13E52843F06A1D8945BC72E",
        "2C417AB6853FD0E9EB2C47D150FA3986421BAD78F9C5630EB8C71E2D6F09A453",
        "C1AF92680D34E75BAF427C9561DE0B389EF528C3704A1DB6432C95FABE17608D",
        "4B2EF08D3C975A61D0B7491AE35C2F8614BDC37EAF6805926BD814A7950FE23C",
        "D2846FB1A93E50C71FD8A374C56B0E927B419CE206ADF35821E74A8DFC90356B",
    };
    private static final int[] PERMUTATION = {
        16, 7, 20, 21, 29, 12, 28, 17, 1, 15, 23, 26, 5, 18, 31, 10, 2, 8, 24, 14, 32, 27, 3, 9, 19, 13, 30, 6, 22, 11, 4, 25,
    };
    private static final int[] KEY_CHOICE = {
        57, 49, 41, 33, 25, 17, 9, 1, 58, 50, 42, 34, 26, 18, 10, 2, 59, 51, 43, 35, 27, 19, 11, 3, 60, 52, 44, 36,
        63, 55, 47, 39, 31, 23, 15, 7, 62, 54, 46, 38, 30, 22, 14, 6, 61, 53, 45, 37, 29, 21, 13, 5, 28, 20, 12, 4,
    };
    private static final int[] ROUND_KEY_CHOICE = {
        14, 17, 11, 24, 1, 5, 3, 28, 15, 6, 21, 10, 23, 19, 12, 4, 26, 8, 16, 7, 27, 20, 13, 2,
        41, 52, 31, 37, 47, 55, 30, 40, 51, 45, 33, 48, 44, 49, 39, 56, 34, 53, 46, 42, 50, 36, 29, 32,
    };
    /** Bit mask of the rounds that rotate the halves of the key by one bit instead of two. */
    private static final int SINGLE_SHIFTS = 0b1000_0001_0000_0011;

    /** Lookup tables that combine the S-boxes with the permutation of their output, 64 words for each of the eight S-boxes. */
    private static final int[] TABLES = tables();

    /**
     * Round keys, stored as two words for each round. The first word contains six bits for each of the S-boxes 1, 3, 5 and 7, and the
     * second word for 2, 4, 6 and 8.
     */
    private final int[] schedule = new int[STAGES * ROUNDS * 2];

    TripleDes(byte[] key) {
        for (int stage = 0; stage < STAGES; stage++) {
            long stageKey = Words.longBE(key, stage * KEY_BYTES);
            boolean decrypting = stage == 1;
            long chosen = choose(stageKey, Long.SIZE, KEY_CHOICE);
            int left = (int) (chosen >>> HALF_KEY_BITS);
            int right = (int) chosen & (1 << HALF_KEY_BITS) - 1;
            for (int round = 0; round < ROUNDS; round++) {
                int shift = (SINGLE_SHIFTS >>> round & 1) == 1 ? 1 : 2;
                left = rotateHalfKey(left, shift);
                right = rotateHalfKey(right, shift);
                long roundKey = choose((long) left << HALF_KEY_BITS | right, 2 * HALF_KEY_BITS, ROUND_KEY_CHOICE);
                int at = (stage * ROUNDS + (decrypting ? ROUNDS - 1 - round : round)) * 2;
                for (int box = 0; box < TABLES.length >>> 6; box++) {
                    int six = (int) (roundKey >>> 42 - 6 * box) & 0x3F;
                    schedule[at + (box & 1)] |= six << 24 - 8 * (box >>> 1);
                }
            }
        }
    }

    @Override
    public int blockBytes() {
        return BLOCK_BYTES;
    }

    @Override
    public void encrypt(byte[] from, int fromOffset, byte[] to, int toOffset) {
        int[] keys = schedule;
        long block = permuted(Words.longBE(from, fromOffset));
        int left = (int) (block >>> 32);
        int right = (int) block;
        for (int i = 0; i < keys.length; i += ROUNDS * 2) {
            for (int j = i; j < i + ROUNDS * 2; j += 4) {
                left ^= round(right, keys[j], keys[j + 1]);
                right ^= round(left, keys[j + 2], keys[j + 3]);
            }
            int swapped = left;
            left = right;
            right = swapped;
        }
        Words.putLongBE(to, toOffset, permutedBack(left, right));
    }

    @Override
    public void encryptTwo(byte[] from, int fromOffset, byte[] to, int toOffset) {
        int[] keys = schedule;
        long block = permuted(Words.longBE(from, fromOffset));
        int left = (int) (block >>> 32);
        int right = (int) block;
        block = permuted(Words.longBE(from, fromOffset + BLOCK_BYTES));
        int otherLeft = (int) (block >>> 32);
        int otherRight = (int) block;
        for (int i = 0; i < keys.length; i += ROUNDS * 2) {
            for (int j = i; j < i + ROUNDS * 2; j += 4) {
                left ^= round(right, keys[j], keys[j + 1]);
                otherLeft ^= round(otherRight, keys[j], keys[j + 1]);
                right ^= round(left, keys[j + 2], keys[j + 3]);
                otherRight ^= round(otherLeft, keys[j + 2], keys[j + 3]);
            }
            int swapped = left;
            left = right;
            right = swapped;
            swapped = otherLeft;
            otherLeft = otherRight;
            otherRight = swapped;
        }
        Words.putLongBE(to, toOffset, permutedBack(left, right));
        Words.putLongBE(to, toOffset + BLOCK_BYTES, permutedBack(otherLeft, otherRight));
    }

    private static int round(int half, int oddKey, int evenKey) {
        int odd = Integer.rotateRight(half, 4) ^ oddKey;
        int even = half ^ evenKey;
        return TABLES[odd >>> 24 & 0x3F] ^ TABLES[64 + (even >>> 24 & 0x3F)]
            ^ TABLES[128 + (odd >>> 16 & 0x3F)] ^ TABLES[192 + (even >>> 16 & 0x3F)]
            ^ TABLES[256 + (odd >>> 8 & 0x3F)] ^ TABLES[320 + (even >>> 8 & 0x3F)]
            ^ TABLES[384 + (odd & 0x3F)] ^ TABLES[448 + (even & 0x3F)];
    }

    /**
     * Applies the initial permutation to a block and rotates both halves left by one bit. The permutation exchanges bits between the
     * halves.
     */
    private static long permuted(long block) {
        int left = (int) (block >>> 32);
        int right = (int) block;
        int moved = (left >>> 4 ^ right) & 0x0F0F0F0F;
        right ^= moved;
        left ^= moved << 4;
        moved = (left >>> 16 ^ right) & 0x0000FFFF;
        right ^= moved;
        left ^= moved << 16;
        moved = (right >>> 2 ^ left) & 0x33333333;
        left ^= moved;
        right ^= moved << 2;
        moved = (right >>> 8 ^ left) & 0x00FF00FF;
        left ^= moved;
        right ^= moved << 8;
        moved = (left >>> 1 ^ right) & 0x55555555;
        right ^= moved;
        left ^= moved << 1;
        return (long) Integer.rotateLeft(left, 1) << 32 | Integer.rotateLeft(right, 1) & 0xFFFFFFFFL;
    }

    /** Rotates both halves of a block right by one bit and applies the final permutation, which reverses {@link #permuted}. */
    private static long permutedBack(int rotatedLeft, int rotatedRight) {
        int left = Integer.rotateRight(rotatedLeft, 1);
        int right = Integer.rotateRight(rotatedRight, 1);
        int moved = (left >>> 1 ^ right) & 0x55555555;
        right ^= moved;
        left ^= moved << 1;
        moved = (right >>> 8 ^ left) & 0x00FF00FF;
        left ^= moved;
        right ^= moved << 8;
        moved = (right >>> 2 ^ left) & 0x33333333;
        left ^= moved;
        right ^= moved << 2;
        moved = (left >>> 16 ^ right) & 0x0000FFFF;
        right ^= moved;
        left ^= moved << 16;
        moved = (left >>> 4 ^ right) & 0x0F0F0F0F;
        right ^= moved;
        left ^= moved << 4;
        return (long) left << 32 | right & 0xFFFFFFFFL;
    }

    private static int rotateHalfKey(int half, int shift) {
        return (half << shift | half >>> HALF_KEY_BITS - shift) & (1 << HALF_KEY_BITS) - 1;
    }

    /**
     * Concatenates the bits whose numbers are listed in {@code choice}, in the listed order. Bits are numbered from 1, starting at the
     * highest.
     */
    private static long choose(long bits, int count, int[] choice) {
        long chosen = 0;
        for (int number : choice) {
            chosen = chosen << 1 | bits >>> count - number & 1;
        }
        return chosen;
    }

    private static int[] tables() {
        int boxes = SUBSTITUTIONS.length;
        int[] tables = new int[boxes * 64];
        for (int box = 0; box < boxes; box++) {
            for (int six = 0; six < 64; six++) {
                int row = six >>> 4 & 2 | six & 1;
                int column = six >>> 1 & 0xF;
                long substituted = Character.digit(SUBSTITUTIONS[box].charAt(row * 16 + column), 16);
                long permuted = choose(substituted << 28 - 4 * box, Integer.SIZE, PERMUTATION);
                tables[box * 64 + six] = Integer.rotateLeft((int) permuted, 1);
            }
        }
        return tables;
    }
}

package io.kcp.core.crypto;

import java.math.BigInteger;

/**
 * Implements the block cipher Blowfish with 16 rounds. Its initial tables are digits of pi, which are computed once per process in about a
 * tenth of a second.
 */
final class Blowfish implements BlockCipher {

    private static final int BLOCK_BYTES = 8;
    private static final int ROUNDS = 16;
    private static final int SUBKEYS = ROUNDS + 2;
    private static final int BOX_WORDS = 4 * 256;

    private final int[] subkeys = new int[SUBKEYS];
    private final int[] boxes = new int[BOX_WORDS];

    Blowfish(byte[] key) {
        System.arraycopy(Pi.FRACTION, 0, subkeys, 0, SUBKEYS);
        System.arraycopy(Pi.FRACTION, SUBKEYS, boxes, 0, BOX_WORDS);
        int at = 0;
        for (int i = 0; i < SUBKEYS; i++) {
            int word = 0;
            for (int j = 0; j < Integer.BYTES; j++) {
                word = word << 8 | key[at] & 0xFF;
                at = (at + 1) % key.length;
            }
            subkeys[i] ^= word;
        }
        byte[] block = new byte[BLOCK_BYTES];
        replace(subkeys, block);
        replace(boxes, block);
    }

    private void replace(int[] words, byte[] block) {
        for (int i = 0; i < words.length; i += 2) {
            encrypt(block, 0, block, 0);
            words[i] = Words.intBE(block, 0);
            words[i + 1] = Words.intBE(block, Integer.BYTES);
        }
    }

    @Override
    public int blockBytes() {
        return BLOCK_BYTES;
    }

    @Override
    public void encrypt(byte[] from, int fromOffset, byte[] to, int toOffset) {
        int[] s = boxes;
        int[] p = subkeys;
        int left = Words.intBE(from, fromOffset) ^ p[0];
        int right = Words.intBE(from, fromOffset + 4);
        for (int i = 1; i < ROUNDS; i += 2) {
            right ^= round(s, left) ^ p[i];
            left ^= round(s, right) ^ p[i + 1];
        }
        Words.putIntBE(to, toOffset, right ^ p[ROUNDS + 1]);
        Words.putIntBE(to, toOffset + 4, left);
    }

    @Override
    public void encryptTwo(byte[] from, int fromOffset, byte[] to, int toOffset) {
        int[] s = boxes;
        int[] p = subkeys;
        int left = Words.intBE(from, fromOffset) ^ p[0];
        int right = Words.intBE(from, fromOffset + 4);
        int otherLeft = Words.intBE(from, fromOffset + 8) ^ p[0];
        int otherRight = Words.intBE(from, fromOffset + 12);
        for (int i = 1; i < ROUNDS; i += 2) {
            right ^= round(s, left) ^ p[i];
            otherRight ^= round(s, otherLeft) ^ p[i];
            left ^= round(s, right) ^ p[i + 1];
            otherLeft ^= round(s, otherRight) ^ p[i + 1];
        }
        Words.putIntBE(to, toOffset, right ^ p[ROUNDS + 1]);
        Words.putIntBE(to, toOffset + 4, left);
        Words.putIntBE(to, toOffset + 8, otherRight ^ p[ROUNDS + 1]);
        Words.putIntBE(to, toOffset + 12, otherLeft);
    }

    private static int round(int[] s, int x) {
        return (s[x >>> 24] + s[256 + (x >>> 16 & 0xFF)] ^ s[512 + (x >>> 8 & 0xFF)]) + s[768 + (x & 0xFF)];
    }

    /** Holds the digits of pi, which are computed when the first instance of Blowfish is created. */
    private static final class Pi {

        /** Binary digits of the fractional part of pi, 32 in each word. */
        static final int[] FRACTION = fraction(SUBKEYS + BOX_WORDS);

        /** Computes pi with the Chudnovsky series, which yields 47 bits per term. */
        private static int[] fraction(int words) {
            int guardBits = 64;
            int bits = words * Integer.SIZE + guardBits;
            BigInteger one = BigInteger.ONE.shiftLeft(bits);
            BigInteger term = one;
            BigInteger sum = one;
            BigInteger weightedSum = BigInteger.ZERO;
            for (long k = 1; term.signum() != 0; k++) {
                term = term.multiply(BigInteger.valueOf(-(6 * k - 5) * (2 * k - 1) * (6 * k - 1)))
                    .divide(BigInteger.valueOf(k * k * k).multiply(BigInteger.valueOf(10_939_058_860_032_000L)));
                sum = sum.add(term);
                weightedSum = weightedSum.add(term.multiply(BigInteger.valueOf(k)));
            }
            BigInteger divisor = sum.multiply(BigInteger.valueOf(13_591_409)).add(weightedSum.multiply(BigInteger.valueOf(545_140_134)));
            BigInteger root = BigInteger.valueOf(10_005).shiftLeft(2 * bits).sqrt();
            BigInteger pi = root.multiply(BigInteger.valueOf(426_880)).shiftLeft(bits).divide(divisor);
            byte[] digits = pi.shiftRight(guardBits).toByteArray();
            int[] fraction = new int[words];
            // Skips the first byte, which is the integer part of pi.
            for (int i = 0; i < words; i++) {
                fraction[i] = Words.intBE(digits, 1 + i * Integer.BYTES);
            }
            return fraction;
        }
    }
}

package io.kcp.core.internal.reedsolomon;

/** Implements arithmetic in GF(2⁸) with the polynomial x⁸ + x⁴ + x³ + x² + 1 and the generator 2. Addition is XOR. */
final class GaloisField {

    /** The lower 8 bits of the polynomial. They are added if doubling an element overflows. */
    static final int POLYNOMIAL = 0x1D;
    /** Order of the multiplicative group of GF(2⁸). */
    static final int ORDER = 255;

    private static final byte[] EXP = new byte[ORDER];
    private static final byte[] LOG = new byte[ORDER + 1];

    static {
        int power = 1;
        for (int exponent = 0; exponent < ORDER; exponent++) {
            EXP[exponent] = (byte) power;
            LOG[power] = (byte) exponent;
            power <<= 1;
            if (power > ORDER) {
                power = power & ORDER ^ POLYNOMIAL;
            }
        }
    }

    private GaloisField() {
    }

    /** Returns the discrete logarithm of an element other than 0. */
    static int log(int element) {
        return LOG[element] & 0xff;
    }

    /** Returns 2 to the power of an exponent, which may exceed {@link #ORDER} but must not be negative. */
    static int exp(int exponent) {
        return EXP[exponent % ORDER] & 0xff;
    }
}

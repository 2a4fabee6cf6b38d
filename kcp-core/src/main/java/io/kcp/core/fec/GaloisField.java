package io.kcp.core.fec;

/** Arithmetic in GF(2⁸) with the polynomial x⁸ + x⁴ + x³ + x² + 1 and the generator 2. Addition is xor. */
final class GaloisField {

    /** The polynomial without x⁸: what is added when doubling carries. */
    static final int POLYNOMIAL = 0x1D;
    /** Order of the multiplicative group. */
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

    /** Returns the logarithm of an element other than 0. */
    static int log(int element) {
        return LOG[element] & 0xff;
    }

    /** Returns 2 to the power of any exponent from 0 on. */
    static int exp(int exponent) {
        return EXP[exponent % ORDER] & 0xff;
    }
}

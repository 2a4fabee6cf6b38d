package io.kcp.core.internal.reedsolomon;

/**
 * Computes linear combinations of shards in GF(2⁸), eight bytes at a time, in loops that the JIT compiler vectorizes.
 *
 * <p>The bits of the coefficients are processed from the highest to the lowest, as in Horner's method. For each bit, the sum is
 * doubled, and then every shard whose coefficient has that bit is added. Doubling processes the 8 bytes of a {@code long} in
 * parallel.
 */
final class ShardKernel {

    private static final long HIGH_BITS = 0x8080808080808080L;
    private static final long FOLD = 0x0101010101010101L * GaloisField.POLYNOMIAL;
    /**
     * Maximum number of source shards that are added in one pass. With more sources, the JIT compiler does not vectorize the loop
     * that doubles.
     */
    private static final int MAX_SOURCES = 5;

    private ShardKernel() {
    }

    /** Doubles each of the 8 bytes of a word in GF(2⁸). */
    static long twice(long bytes) {
        long high = bytes & HIGH_BITS;
        // The subtraction turns each 0x80 byte of high into 0x7f, a mask that keeps all bits of the polynomial.
        return (bytes ^ high) << 1 ^ high - (high >>> 7) & FOLD;
    }

    /**
     * Computes one linear combination of shards. For each bit, starting at the highest bit that is set in any coefficient, the program
     * contains the number of sources whose coefficient has the bit, followed by their columns.
     */
    static void multiply(short[] program, long[][] sources, long[] target, int words) {
        boolean started = false;
        for (int at = 0; at < program.length;) {
            int count = program[at++];
            int first = Math.min(count, MAX_SOURCES);
            if (started) {
                twiceAndAdd(program, at, first, sources, target, words);
            } else {
                set(program, at, first, sources, target, words);
                started = true;
            }
            for (int done = first; done < count;) {
                int next = Math.min(count - done, MAX_SOURCES);
                add(program, at + done, next, sources, target, words);
                done += next;
            }
            at += count;
        }
    }

    private static void set(short[] p, int at, int count, long[][] s, long[] t, int words) {
        switch (count) {
            case 1 -> System.arraycopy(s[p[at]], 0, t, 0, words);
            case 2 -> set2(s[p[at]], s[p[at + 1]], t, words);
            case 3 -> set3(s[p[at]], s[p[at + 1]], s[p[at + 2]], t, words);
            case 4 -> set4(s[p[at]], s[p[at + 1]], s[p[at + 2]], s[p[at + 3]], t, words);
            default -> set5(s[p[at]], s[p[at + 1]], s[p[at + 2]], s[p[at + 3]], s[p[at + 4]], t, words);
        }
    }

    private static void twiceAndAdd(short[] p, int at, int count, long[][] s, long[] t, int words) {
        switch (count) {
            case 0 -> twice0(t, words);
            case 1 -> twice1(s[p[at]], t, words);
            case 2 -> twice2(s[p[at]], s[p[at + 1]], t, words);
            case 3 -> twice3(s[p[at]], s[p[at + 1]], s[p[at + 2]], t, words);
            case 4 -> twice4(s[p[at]], s[p[at + 1]], s[p[at + 2]], s[p[at + 3]], t, words);
            default -> twice5(s[p[at]], s[p[at + 1]], s[p[at + 2]], s[p[at + 3]], s[p[at + 4]], t, words);
        }
    }

    private static void add(short[] p, int at, int count, long[][] s, long[] t, int words) {
        switch (count) {
            case 1 -> add1(s[p[at]], t, words);
            case 2 -> add2(s[p[at]], s[p[at + 1]], t, words);
            case 3 -> add3(s[p[at]], s[p[at + 1]], s[p[at + 2]], t, words);
            case 4 -> add4(s[p[at]], s[p[at + 1]], s[p[at + 2]], s[p[at + 3]], t, words);
            default -> add5(s[p[at]], s[p[at + 1]], s[p[at + 2]], s[p[at + 3]], s[p[at + 4]], t, words);
        }
    }

    private static void set2(long[] a, long[] b, long[] t, int words) {
        for (int i = 0; i < words; i++) {
            t[i] = a[i] ^ b[i];
        }
    }

    private static void set3(long[] a, long[] b, long[] c, long[] t, int words) {
        for (int i = 0; i < words; i++) {
            t[i] = a[i] ^ b[i] ^ c[i];
        }
    }

    private static void set4(long[] a, long[] b, long[] c, long[] d, long[] t, int words) {
        for (int i = 0; i < words; i++) {
            t[i] = a[i] ^ b[i] ^ c[i] ^ d[i];
        }
    }

    private static void set5(long[] a, long[] b, long[] c, long[] d, long[] e, long[] t, int words) {
        for (int i = 0; i < words; i++) {
            t[i] = a[i] ^ b[i] ^ c[i] ^ d[i] ^ e[i];
        }
    }

    private static void add1(long[] a, long[] t, int words) {
        for (int i = 0; i < words; i++) {
            t[i] ^= a[i];
        }
    }

    private static void add2(long[] a, long[] b, long[] t, int words) {
        for (int i = 0; i < words; i++) {
            t[i] ^= a[i] ^ b[i];
        }
    }

    private static void add3(long[] a, long[] b, long[] c, long[] t, int words) {
        for (int i = 0; i < words; i++) {
            t[i] ^= a[i] ^ b[i] ^ c[i];
        }
    }

    private static void add4(long[] a, long[] b, long[] c, long[] d, long[] t, int words) {
        for (int i = 0; i < words; i++) {
            t[i] ^= a[i] ^ b[i] ^ c[i] ^ d[i];
        }
    }

    private static void add5(long[] a, long[] b, long[] c, long[] d, long[] e, long[] t, int words) {
        for (int i = 0; i < words; i++) {
            t[i] ^= a[i] ^ b[i] ^ c[i] ^ d[i] ^ e[i];
        }
    }

    private static void twice0(long[] t, int words) {
        for (int i = 0; i < words; i++) {
            t[i] = twice(t[i]);
        }
    }

    private static void twice1(long[] a, long[] t, int words) {
        for (int i = 0; i < words; i++) {
            t[i] = twice(t[i]) ^ a[i];
        }
    }

    private static void twice2(long[] a, long[] b, long[] t, int words) {
        for (int i = 0; i < words; i++) {
            t[i] = twice(t[i]) ^ a[i] ^ b[i];
        }
    }

    private static void twice3(long[] a, long[] b, long[] c, long[] t, int words) {
        for (int i = 0; i < words; i++) {
            t[i] = twice(t[i]) ^ a[i] ^ b[i] ^ c[i];
        }
    }

    private static void twice4(long[] a, long[] b, long[] c, long[] d, long[] t, int words) {
        for (int i = 0; i < words; i++) {
            t[i] = twice(t[i]) ^ a[i] ^ b[i] ^ c[i] ^ d[i];
        }
    }

    private static void twice5(long[] a, long[] b, long[] c, long[] d, long[] e, long[] t, int words) {
        for (int i = 0; i < words; i++) {
            t[i] = twice(t[i]) ^ a[i] ^ b[i] ^ c[i] ^ d[i] ^ e[i];
        }
    }
}

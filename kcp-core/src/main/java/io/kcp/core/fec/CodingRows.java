package io.kcp.core.fec;

import java.util.Arrays;

/**
 * Shards as sums of products of other shards: which positions are known, which are wanted, and one row of coefficients for
 * each wanted one, in the form that {@link ShardKernel} works through. Immutable.
 */
final class CodingRows {

    private static final int BITS = 8;

    private final int[] known;
    private final int[] wanted;
    private final byte[][] coefficients;
    private final short[][] programs;

    private CodingRows(int[] known, int[] wanted, byte[][] coefficients) {
        this.known = known;
        this.wanted = wanted;
        this.coefficients = coefficients;
        programs = new short[wanted.length][];
        for (int row = 0; row < wanted.length; row++) {
            programs[row] = program(coefficients[row]);
        }
    }

    /**
     * Finds the rows. The bytes at one place of all shards of a group are the values of a polynomial of a degree below the
     * number of data shards, each at its own position: the code is built of a Vandermonde matrix. So any position follows
     * from enough others by Lagrange's formula, and no matrix is inverted.
     */
    static CodingRows interpolating(int[] known, int[] wanted) {
        int count = known.length;
        int[] weightLogs = new int[count];
        for (int i = 0; i < count; i++) {
            int sum = 0;
            for (int k = 0; k < count; k++) {
                if (k != i) {
                    sum += GaloisField.log(known[i] ^ known[k]);
                }
            }
            weightLogs[i] = sum % GaloisField.ORDER;
        }
        byte[][] coefficients = new byte[wanted.length][count];
        for (int row = 0; row < wanted.length; row++) {
            int all = 0;
            for (int position : known) {
                all += GaloisField.log(wanted[row] ^ position);
            }
            for (int i = 0; i < count; i++) {
                int log = all - GaloisField.log(wanted[row] ^ known[i]) - weightLogs[i] + GaloisField.ORDER;
                coefficients[row][i] = (byte) GaloisField.exp(log);
            }
        }
        return new CodingRows(known, wanted, coefficients);
    }

    /** Returns how many shards are wanted. */
    int count() {
        return wanted.length;
    }

    /** Returns the position of a wanted shard. */
    int wanted(int row) {
        return wanted[row];
    }

    /** Returns the position of the shard that is multiplied by a column's coefficients. */
    int known(int column) {
        return known[column];
    }

    byte[] coefficients(int row) {
        return coefficients[row];
    }

    /** Computes all wanted shards; sources are in the order of the columns. */
    void apply(long[][] sources, long[][] targets, int firstTarget, int words) {
        for (int row = 0; row < programs.length; row++) {
            applyRow(row, sources, targets[firstTarget + row], words);
        }
    }

    /** Computes one wanted shard. */
    void applyRow(int row, long[][] sources, long[] target, int words) {
        ShardKernel.multiply(programs[row], sources, target, words);
    }

    /** Computes only the first eight bytes of one wanted shard. */
    long firstWord(int row, long[][] sources) {
        byte[] factors = coefficients[row];
        long sum = 0;
        for (int bit = BITS - 1; bit >= 0; bit--) {
            sum = ShardKernel.twice(sum);
            for (int column = 0; column < factors.length; column++) {
                sum ^= sources[column][0] & -(factors[column] >>> bit & 1);
            }
        }
        return sum;
    }

    private static short[] program(byte[] factors) {
        short[] program = new short[BITS + BITS * factors.length];
        int length = 0;
        for (int bit = BITS - 1; bit >= 0; bit--) {
            int countAt = length;
            int count = 0;
            for (int column = 0; column < factors.length; column++) {
                if ((factors[column] >>> bit & 1) != 0) {
                    count++;
                    program[countAt + count] = (short) column;
                }
            }
            if (count > 0 || countAt > 0) {
                program[countAt] = (short) count;
                length = countAt + 1 + count;
            }
        }
        return Arrays.copyOf(program, length);
    }
}

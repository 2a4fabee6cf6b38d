package io.kcp.core.internal.reedsolomon;

import java.util.Arrays;

/**
 * An immutable matrix of coefficients that express wanted shards as linear combinations of known shards. It has one row for each wanted
 * shard and one column for each known shard. {@link ShardKernel} computes the linear combinations.
 */
public final class CodingRows {

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
     * Computes the coefficients by Lagrange interpolation, which avoids inverting a matrix. Interpolation is possible because the code uses
     * a Vandermonde matrix: the bytes at one index of all shards of a group are the values of one polynomial at the positions of the
     * shards, and the degree of the polynomial is below the number of data shards.
     *
     * @param known  positions of the known shards, as many as the group has data shards
     * @param wanted positions of the shards to compute
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

    /**
     * Returns the number of wanted shards, which is the number of rows.
     *
     * @return rows
     */
    public int count() {
        return wanted.length;
    }

    /**
     * Returns the position of a wanted shard in its group.
     *
     * @param row the row of the shard
     * @return its position in the group
     */
    public int wanted(int row) {
        return wanted[row];
    }

    /**
     * Returns the position of a known shard in its group.
     *
     * @param column the column of the shard
     * @return its position in the group
     */
    public int known(int column) {
        return known[column];
    }

    /** Computes all wanted shards from the known shards, which must be in the order of the columns. */
    void apply(long[][] sources, long[][] targets, int firstTarget, int words) {
        for (int row = 0; row < programs.length; row++) {
            applyRow(row, sources, targets[firstTarget + row], words);
        }
    }

    /**
     * Computes one wanted shard from the known shards.
     *
     * @param row     the row of the shard
     * @param sources the known shards, in the order of the columns
     * @param target  receives the shard
     * @param words   number of words to compute
     */
    public void applyRow(int row, long[][] sources, long[] target, int words) {
        ShardKernel.multiply(programs[row], sources, target, words);
    }

    /**
     * Computes only the first 8 bytes of one wanted shard.
     *
     * @param row     the row of the shard
     * @param sources the known shards, in the order of the columns
     * @return the bytes, in the byte order of the sources
     */
    public long firstWord(int row, long[][] sources) {
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

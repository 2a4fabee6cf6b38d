package io.kcp.core.fec;

/**
 * Implements the Reed–Solomon code as described in section 4.4 of {@code wire-format-layers.md}, with a Vandermonde matrix and Gauss-Jordan
 * elimination, byte by byte.
 */
final class ReferenceCode {

    private final int dataShards;
    private final int[][] matrix;

    ReferenceCode(FecShape shape) {
        dataShards = shape.dataShards();
        int[][] vandermonde = new int[shape.totalShards()][dataShards];
        for (int row = 0; row < vandermonde.length; row++) {
            int power = 1;
            for (int column = 0; column < dataShards; column++) {
                vandermonde[row][column] = power;
                power = times(power, row);
            }
        }
        int[][] top = new int[dataShards][];
        System.arraycopy(vandermonde, 0, top, 0, dataShards);
        matrix = product(vandermonde, inverse(top));
    }

    byte[][] parity(byte[][] data, int bytes) {
        byte[][] parity = new byte[matrix.length - dataShards][bytes];
        for (int row = 0; row < parity.length; row++) {
            for (int column = 0; column < dataShards; column++) {
                for (int i = 0; i < data[column].length; i++) {
                    parity[row][i] ^= (byte) times(matrix[dataShards + row][column], data[column][i] & 0xff);
                }
            }
        }
        return parity;
    }

    /** Computes all data shards from the first shards that are present. */
    byte[][] data(byte[][] shards, int bytes) {
        int[][] rows = new int[dataShards][];
        byte[][] known = new byte[dataShards][];
        int count = 0;
        for (int position = 0; count < dataShards; position++) {
            if (shards[position] != null) {
                rows[count] = matrix[position];
                known[count++] = shards[position];
            }
        }
        int[][] decode = inverse(rows);
        byte[][] data = new byte[dataShards][bytes];
        for (int row = 0; row < dataShards; row++) {
            for (int column = 0; column < dataShards; column++) {
                for (int i = 0; i < known[column].length; i++) {
                    data[row][i] ^= (byte) times(decode[row][column], known[column][i] & 0xff);
                }
            }
        }
        return data;
    }

    private static int[][] product(int[][] a, int[][] b) {
        int[][] result = new int[a.length][b[0].length];
        for (int row = 0; row < a.length; row++) {
            for (int column = 0; column < b[0].length; column++) {
                for (int i = 0; i < b.length; i++) {
                    result[row][column] ^= times(a[row][i], b[i][column]);
                }
            }
        }
        return result;
    }

    private static int[][] inverse(int[][] square) {
        int size = square.length;
        int[][] left = new int[size][];
        int[][] right = new int[size][size];
        for (int i = 0; i < size; i++) {
            left[i] = square[i].clone();
            right[i][i] = 1;
        }
        for (int column = 0; column < size; column++) {
            int pivot = column;
            while (left[pivot][column] == 0) {
                pivot++;
            }
            swap(left, column, pivot);
            swap(right, column, pivot);
            int factor = reciprocal(left[column][column]);
            scale(left[column], factor);
            scale(right[column], factor);
            for (int row = 0; row < size; row++) {
                int times = left[row][column];
                if (row != column && times != 0) {
                    subtract(left[row], left[column], times);
                    subtract(right[row], right[column], times);
                }
            }
        }
        return right;
    }

    private static void swap(int[][] rows, int a, int b) {
        int[] row = rows[a];
        rows[a] = rows[b];
        rows[b] = row;
    }

    private static void scale(int[] row, int factor) {
        for (int i = 0; i < row.length; i++) {
            row[i] = times(row[i], factor);
        }
    }

    private static void subtract(int[] row, int[] other, int factor) {
        for (int i = 0; i < row.length; i++) {
            row[i] ^= times(other[i], factor);
        }
    }

    private static final int[][] PRODUCTS = new int[256][256];

    static {
        for (int a = 0; a < 256; a++) {
            for (int b = 0; b < 256; b++) {
                PRODUCTS[a][b] = slowTimes(a, b);
            }
        }
    }

    private static int times(int a, int b) {
        return PRODUCTS[a][b];
    }

    private static int slowTimes(int a, int b) {
        int product = 0;
        for (int bit = 7; bit >= 0; bit--) {
            product <<= 1;
            if (product > 255) {
                product ^= 0x11d;
            }
            if ((b >> bit & 1) != 0) {
                product ^= a;
            }
        }
        return product;
    }

    private static int reciprocal(int element) {
        int candidate = 1;
        while (times(element, candidate) != 1) {
            candidate++;
        }
        return candidate;
    }
}

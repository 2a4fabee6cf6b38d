package io.kcp.examples.arena.world;

/**
 * Unit vectors of 256 directions, clockwise from the right. They are computed with {@code StrictMath}, so they are the same on every
 * machine.
 */
final class Directions {

    static final int COUNT = 256;
    private static final double[] X = new double[COUNT];
    private static final double[] Y = new double[COUNT];

    static {
        for (int i = 0; i < COUNT; i++) {
            X[i] = StrictMath.cos(i * 2 * Math.PI / COUNT);
            Y[i] = StrictMath.sin(i * 2 * Math.PI / COUNT);
        }
    }

    private Directions() {
    }

    static double x(int direction) {
        return X[direction & COUNT - 1];
    }

    static double y(int direction) {
        return Y[direction & COUNT - 1];
    }
}

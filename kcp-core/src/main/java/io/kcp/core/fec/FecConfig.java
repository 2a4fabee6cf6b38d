package io.kcp.core.fec;

import java.util.Objects;

/** Settings of forward error correction: immutable, free to share between sessions and threads. */
public final class FecConfig {

    private final FecShape shape;
    private final boolean shapeFixed;
    private final int minParityShards;
    private final int maxParityShards;

    private FecConfig(FecShape shape, boolean shapeFixed, int minParityShards, int maxParityShards) {
        this.shape = shape;
        this.shapeFixed = shapeFixed;
        this.minParityShards = minParityShards;
        this.maxParityShards = maxParityShards;
    }

    /**
     * Sends groups of the given shape, and expects them until the peer's datagrams show another one.
     *
     * @param shape the shape
     * @return the settings
     */
    public static FecConfig of(FecShape shape) {
        Objects.requireNonNull(shape, "shape");
        return new FecConfig(shape, false, shape.parityShards(), shape.parityShards());
    }

    /**
     * Sets whether the decoder keeps to the shape whatever the peer sends. Off by default, as in kcp-go: the two directions may
     * differ, and the peer may change its own.
     *
     * @param fixed whether the peer's shape is known to be the same
     * @return changed settings
     */
    public FecConfig fecShapeFixed(boolean fixed) {
        return new FecConfig(shape, fixed, minParityShards, maxParityShards);
    }

    /**
     * Lets the sender follow the loss it measures: the number of parity shards changes between the bounds, seldom, and only
     * where one group ends. The shape's own parity is where it starts. Off by default. The peer must detect shapes on its own,
     * which kcp-go does since 5.6.1.
     *
     * @param minParity fewest parity shards, at least 1 and at most the shape's
     * @param maxParity most parity shards, at least the shape's; with the data shards at most {@value FecShape#MAX_SHARDS}
     * @return changed settings
     * @throws IllegalArgumentException if a bound does not fit the shape
     */
    public FecConfig adaptive(int minParity, int maxParity) {
        if (minParity < 1 || minParity > shape.parityShards()) {
            throw new IllegalArgumentException("minParity: " + minParity + " (expected: 1 to " + shape.parityShards() + ')');
        }
        if (maxParity < shape.parityShards() || maxParity > FecShape.MAX_SHARDS - shape.dataShards()) {
            throw new IllegalArgumentException("maxParity: " + maxParity + " (expected: " + shape.parityShards() + " to "
                + (FecShape.MAX_SHARDS - shape.dataShards()) + ')');
        }
        return new FecConfig(shape, shapeFixed, minParity, maxParity);
    }

    /**
     * Returns the shape of groups sent, with adaptive parity that of the first.
     *
     * @return the shape
     */
    public FecShape shape() {
        return shape;
    }

    /**
     * Tells whether the decoder keeps to the shape.
     *
     * @return whether it does
     */
    public boolean isFecShapeFixed() {
        return shapeFixed;
    }

    /**
     * Tells whether the sender follows measured loss.
     *
     * @return whether the bounds leave it a choice
     */
    public boolean isAdaptive() {
        return minParityShards < maxParityShards;
    }

    /**
     * Returns the lower bound of adaptive parity.
     *
     * @return parity shards
     */
    public int minParityShards() {
        return minParityShards;
    }

    /**
     * Returns the upper bound of adaptive parity.
     *
     * @return parity shards
     */
    public int maxParityShards() {
        return maxParityShards;
    }

    /** The shape, and what differs from the defaults. */
    @Override
    public String toString() {
        return shape + (shapeFixed ? ", fixed" : "")
            + (isAdaptive() ? ", parity " + minParityShards + " to " + maxParityShards : "");
    }
}

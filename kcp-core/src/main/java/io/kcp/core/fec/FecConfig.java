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
     * Lets the sender follow the loss that {@link FecEncoder#onLossMeasured} tells it: parity shards take the place of data
     * shards and the other way round, within bounds, at most once in some ten thousand datagrams. The size of a group stays,
     * since with it the numbers of groups would change, and kcp-go recovers nothing while those seem to go back. The last group
     * of a shape goes without parity. Off by default.
     *
     * <p>The peer must detect shapes on its own, which kcp-go does since 5.6.1. It recovers nothing for 260 datagrams after each
     * change, and longer the more are lost: until 258 in a row begin with two groups of which all arrived. A peer of this
     * library needs a few groups.
     *
     * @param minParity fewest parity shards, at least 1 and at most the shape's
     * @param maxParity most parity shards, at least the shape's and less than a group has shards
     * @return changed settings
     * @throws IllegalArgumentException if a bound does not fit the shape
     */
    public FecConfig adaptive(int minParity, int maxParity) {
        if (minParity < 1 || minParity > shape.parityShards()) {
            throw new IllegalArgumentException("minParity: " + minParity + " (expected: 1 to " + shape.parityShards() + ')');
        }
        if (maxParity < shape.parityShards() || maxParity >= shape.totalShards()) {
            throw new IllegalArgumentException("maxParity: " + maxParity + " (expected: " + shape.parityShards() + " to "
                + (shape.totalShards() - 1) + ')');
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

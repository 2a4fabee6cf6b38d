package io.kcp.core.fec;

import java.util.Objects;

/** Settings of forward error correction: immutable, free to share between sessions and threads. */
public final class FecConfig {

    private final FecShape shape;
    private final boolean shapeFixed;
    private final int minParityShards;
    private final int firstParityShards;

    private FecConfig(FecShape shape, boolean shapeFixed, int minParityShards, int firstParityShards) {
        this.shape = shape;
        this.shapeFixed = shapeFixed;
        this.minParityShards = minParityShards;
        this.firstParityShards = firstParityShards;
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
     * Sends groups of the given shape, as {@code of(new FecShape(dataShards, parityShards))} does.
     *
     * @param dataShards   data shards of a group, at least 1
     * @param parityShards parity shards of a group, at least 1; together at most {@value FecShape#MAX_SHARDS}
     * @return the settings
     * @throws IllegalArgumentException if one of them is below 1 or their sum above {@value FecShape#MAX_SHARDS}
     */
    public static FecConfig of(int dataShards, int parityShards) {
        return of(new FecShape(dataShards, parityShards));
    }

    /**
     * Sets whether the decoder keeps to the shape whatever the peer sends. Off by default, as in kcp-go: the two directions may
     * differ, and the peer may change its own.
     *
     * @param fixed whether the peer's shape is known to be the same
     * @return changed settings
     */
    public FecConfig fecShapeFixed(boolean fixed) {
        return new FecConfig(shape, fixed, minParityShards, firstParityShards);
    }

    /**
     * Lets the sender follow the loss that {@link FecEncoder#onLossMeasured} tells it: of each group it sends as many parity
     * shards as are needed, within bounds, beginning with the shape's. The groups then have {@code maxParity} parity shards on
     * the wire, of which some are left out: tell the peer that number. The shape does not change on the way, because a peer
     * that takes one shape for another, as kcp-go does for a while, computes garbage and believes it. Off by default.
     *
     * @param minParity fewest parity shards sent, at least 1 and at most the shape's
     * @param maxParity parity shards of a group, at least the shape's; with the data shards at most {@value FecShape#MAX_SHARDS}
     * @return changed settings
     * @throws IllegalArgumentException if a bound does not fit the shape
     */
    public FecConfig adaptive(int minParity, int maxParity) {
        if (minParity < 1 || minParity > shape.parityShards()) {
            throw new IllegalArgumentException("minParity: " + minParity + " (expected: 1 to " + shape.parityShards() + ')');
        }
        int most = FecShape.MAX_SHARDS - shape.dataShards();
        if (maxParity < shape.parityShards() || maxParity > most) {
            throw new IllegalArgumentException("maxParity: " + maxParity + " (expected: " + shape.parityShards() + " to " + most + ')');
        }
        return new FecConfig(new FecShape(shape.dataShards(), maxParity), shapeFixed, minParity, shape.parityShards());
    }

    /**
     * Returns the shape of groups sent, with adaptive parity that with the most of it.
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
        return minParityShards < shape.parityShards();
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
     * Returns how many parity shards of a group are sent before any loss was measured.
     *
     * @return parity shards
     */
    public int firstParityShards() {
        return firstParityShards;
    }

    /** The shape, and what differs from the defaults. */
    @Override
    public String toString() {
        return shape + (shapeFixed ? ", fixed" : "")
            + (isAdaptive() ? ", parity " + minParityShards + " to " + shape.parityShards() : "");
    }
}

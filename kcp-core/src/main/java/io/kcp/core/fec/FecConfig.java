package io.kcp.core.fec;

import java.util.Objects;

/** Settings of forward error correction. Immutable; sessions and threads may share one instance. */
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
     * Creates settings for a shape. The encoder uses this shape, and the decoder assumes it until it detects another shape of the peer.
     *
     * @param shape the shape
     * @return the settings
     */
    public static FecConfig of(FecShape shape) {
        Objects.requireNonNull(shape, "shape");
        return new FecConfig(shape, false, shape.parityShards(), shape.parityShards());
    }

    /**
     * Creates settings for a shape, as {@code of(new FecShape(dataShards, parityShards))} does.
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
     * Sets whether the decoder assumes the shape whatever the peer sends. The default is {@code false}, as in kcp-go, because the two
     * directions may have different shapes, and the peer may change its shape.
     *
     * @param fixed {@code true} if the peer is configured with the same shape
     * @return the changed settings
     */
    public FecConfig fecShapeFixed(boolean fixed) {
        return new FecConfig(shape, fixed, minParityShards, firstParityShards);
    }

    /**
     * Enables adaptive parity: the sender adapts the number of parity shards of each group to the loss that
     * {@link FecEncoder#onLossMeasured} sets, starting with the number of the shape. The shape of the groups then has {@code maxParity}
     * parity shards, of which some are not sent; configure the peer with that number. The shape does not change during a session,
     * because a peer that assumes a wrong shape, as kcp-go does for a while, delivers garbage. Disabled by default.
     *
     * @param minParity smallest number of parity shards to send, at least 1 and at most that of the shape
     * @param maxParity parity shards of a group, at least that of the shape; with the data shards at most {@value FecShape#MAX_SHARDS}
     * @return the changed settings
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
     * Returns the shape of the groups, which with adaptive parity has the largest number of parity shards.
     *
     * @return the shape
     */
    public FecShape shape() {
        return shape;
    }

    /**
     * Returns whether the decoder assumes the shape whatever the peer sends.
     *
     * @return {@code true} if the shape is fixed
     */
    public boolean isFecShapeFixed() {
        return shapeFixed;
    }

    /**
     * Returns whether adaptive parity is enabled.
     *
     * @return {@code true} if the lower bound is below the parity of the shape
     */
    public boolean isAdaptive() {
        return minParityShards < shape.parityShards();
    }

    /**
     * Returns the smallest number of parity shards that adaptive parity sends.
     *
     * @return parity shards
     */
    public int minParityShards() {
        return minParityShards;
    }

    /**
     * Returns the number of parity shards sent for a group before any loss was measured.
     *
     * @return parity shards
     */
    public int firstParityShards() {
        return firstParityShards;
    }

    /** Returns the shape and the settings that differ from the defaults. */
    @Override
    public String toString() {
        return shape + (shapeFixed ? ", fixed" : "")
            + (isAdaptive() ? ", parity " + minParityShards + " to " + shape.parityShards() : "");
    }
}

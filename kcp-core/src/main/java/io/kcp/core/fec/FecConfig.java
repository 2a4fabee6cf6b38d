package io.kcp.core.fec;

import java.util.Objects;

/** Settings of forward error correction. Instances are immutable and may be shared by sessions and threads. */
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
     * Creates settings with the given shape, that is, the numbers of data and parity shards in each group. The encoder uses this shape, and
     * the decoder assumes the same shape for the peer until it detects another one.
     *
     * @param shape the shape
     * @return the settings
     */
    public static FecConfig of(FecShape shape) {
        Objects.requireNonNull(shape, "shape");
        return new FecConfig(shape, false, shape.parityShards(), shape.parityShards());
    }

    /**
     * Creates settings for groups with the given numbers of data and parity shards.
     *
     * @param dataShards   number of data shards in a group, at least 1
     * @param parityShards number of parity shards in a group, at least 1; the sum of both numbers is at most {@value FecShape#MAX_SHARDS}
     * @return the settings
     * @throws IllegalArgumentException if one of the numbers is below 1 or their sum exceeds {@value FecShape#MAX_SHARDS}
     */
    public static FecConfig of(int dataShards, int parityShards) {
        return of(new FecShape(dataShards, parityShards));
    }

    /**
     * Makes the decoder assume that the peer uses the configured numbers of data and parity shards. By default, the decoder detects the
     * peer's numbers, as in kcp-go, because the two directions may have different shapes, and the peer may change its shape.
     *
     * @return the changed settings
     */
    public FecConfig withFixedShape() {
        return new FecConfig(shape, true, minParityShards, firstParityShards);
    }

    /**
     * Enables adaptive parity: the number of parity shards that are sent for each group depends on the loss of the path and on the length
     * of its bursts. It is chosen so that at most 1 % of the groups lose more shards than parity can recover. The encoder measures the loss
     * from the acknowledgements that the conversation reports to {@link FecEncoder#arrivals}. Until it has measured the loss, the number is
     * that of the configured shape. After a change, the next increase follows after two seconds at the earliest and the next reduction
     * after ten seconds, so a peer can cause at most 30 changes a minute.
     *
     * <p>The groups themselves have a shape with {@code maxParity} parity shards, of which some are not sent, so the peer must be
     * configured with {@code maxParity}. This shape does not change during a session, because a peer that assumes a wrong shape, as kcp-go
     * does for a while after a change, delivers garbage. Adaptive parity is disabled by default.
     *
     * @param minParity minimum number of parity shards to send, at least 1 and at most that of the shape
     * @param maxParity parity shards of a group, at least that of the shape; with the data shards at most {@value FecShape#MAX_SHARDS}
     * @return the changed settings
     * @throws IllegalArgumentException if a bound is not consistent with the shape
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
     * Returns the shape, that is, the numbers of data and parity shards in each group. With adaptive parity, it has the maximum number of
     * parity shards.
     *
     * @return the shape
     */
    public FecShape shape() {
        return shape;
    }

    /**
     * Returns {@code true} if the decoder assumes that the peer uses the configured numbers of data and parity shards, instead of detecting
     * the peer's numbers.
     *
     * @return {@code true} if the shape is fixed
     */
    public boolean isShapeFixed() {
        return shapeFixed;
    }

    /**
     * Returns {@code true} if adaptive parity is enabled.
     *
     * @return {@code true} if the minimum number of parity shards is below that of the shape
     */
    public boolean isAdaptive() {
        return minParityShards < shape.parityShards();
    }

    /**
     * Returns the minimum number of parity shards that adaptive parity sends for a group.
     *
     * @return parity shards
     */
    public int minParityShards() {
        return minParityShards;
    }

    /**
     * Returns the number of parity shards that adaptive parity sends for a group before any loss has been measured. The first 32 groups are
     * sent with all parity shards of the shape.
     *
     * @return parity shards
     */
    public int firstParityShards() {
        return firstParityShards;
    }

    /** Returns a description of the numbers of data and parity shards and of the settings that differ from the defaults. */
    @Override
    public String toString() {
        return shape + (shapeFixed ? ", fixed" : "")
            + (isAdaptive() ? ", parity " + minParityShards + " to " + shape.parityShards() : "");
    }
}

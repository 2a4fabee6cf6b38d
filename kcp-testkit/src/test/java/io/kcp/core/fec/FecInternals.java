package io.kcp.core.fec;

/** Gives the tests of this module access to package-private members of {@link FecEncoder}. */
public final class FecInternals {

    private static final int GROUPS_BEFORE_WRAP = 3;

    private FecInternals() {
    }

    /** Creates an encoder whose seqid wraps to 0 after a few groups. */
    public static FecEncoder encoderBeforeWrap(FecConfig config, ShardPool pool) {
        return new FecEncoder(config, pool, config.shape().paws() - GROUPS_BEFORE_WRAP * config.shape().totalShards());
    }
}

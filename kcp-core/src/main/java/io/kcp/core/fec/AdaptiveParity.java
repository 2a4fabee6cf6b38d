package io.kcp.core.fec;

/**
 * Chooses how many of a group's shards are parity: as few as leave at most one group in a hundred with more losses than
 * parity, if losses are independent. Slow on purpose, since a receiver recovers nothing until it has seen what changed.
 */
final class AdaptiveParity {

    private static final int MIN_SHARDS_BETWEEN_CHANGES = 16_384;
    private static final double UNREPAIRED_GROUPS = 0.01;
    private static final double PERMILLE = 1_000;
    /** Parity is taken away only if there would be enough with this much more loss, or it would be back soon. */
    private static final double CAUTION = 1.5;

    private final int totalShards;
    private final int minParity;
    private final int maxParity;
    private int lossPermille = -1;
    private long shardsSinceChange;

    AdaptiveParity(FecConfig config) {
        totalShards = config.shape().totalShards();
        minParity = config.minParityShards();
        maxParity = config.maxParityShards();
    }

    void onLossMeasured(int permille) {
        lossPermille = permille;
    }

    /** Tells how many parity shards the group that begins now has. */
    int parityForNextGroup(int parityShards) {
        shardsSinceChange += totalShards;
        if (lossPermille < 0 || shardsSinceChange < MIN_SHARDS_BETWEEN_CHANGES) {
            return parityShards;
        }
        int wanted = parityFor(lossPermille / PERMILLE);
        if (wanted < parityShards) {
            wanted = Math.min(parityShards, parityFor(Math.min(1, CAUTION * lossPermille / PERMILLE)));
        }
        // A look costs some hundred multiplications: no more often than a change may come.
        shardsSinceChange = wanted == parityShards ? MIN_SHARDS_BETWEEN_CHANGES / 2 : 0;
        return wanted;
    }

    private int parityFor(double loss) {
        if (loss >= 1) {
            return maxParity;
        }
        double exactly = Math.pow(1 - loss, totalShards);
        double atMost = exactly;
        int parity = 0;
        while (parity < maxParity && (parity < minParity || 1 - atMost > UNREPAIRED_GROUPS)) {
            exactly *= loss / (1 - loss) * (totalShards - parity) / (parity + 1);
            atMost += exactly;
            parity++;
        }
        return parity;
    }
}

package io.kcp.core.fec;

/**
 * Chooses how many parity shards to send for each group, so that at most 1 % of the groups lose more shards than their parity can recover.
 * The calculation assumes that losses are independent. The remaining parity shards are omitted as if they were lost. The shape does not
 * change, because a receiver that assumes a wrong shape may recover garbage that appears valid.
 */
final class AdaptiveParity {

    /**
     * Number of initial groups that are sent with all their parity, so that a receiver can detect the numbers of data and parity shards.
     */
    static final int FULL_GROUPS = 32;
    /** Number of consecutive groups that must need less parity before the number of parity shards is reduced. */
    static final int GROUPS_BEFORE_LESS = 64;

    private static final double UNRECOVERABLE_GROUPS = 0.01;
    private static final double PERMILLE = 1_000;

    private final int dataShards;
    private final int minParity;
    private final int maxParity;
    private int wanted;
    private int sending;
    private int fullGroups = FULL_GROUPS;
    private int groupsThatNeededLess;

    AdaptiveParity(FecConfig config) {
        dataShards = config.shape().dataShards();
        minParity = config.minParityShards();
        maxParity = config.shape().parityShards();
        wanted = config.firstParityShards();
        sending = wanted;
    }

    void onLossMeasured(int permille) {
        wanted = parityFor(permille / PERMILLE);
    }

    /** Returns the number of parity shards to send for the group that has just become full. */
    int parityOfNextGroup() {
        if (fullGroups > 0) {
            fullGroups--;
            return maxParity;
        }
        if (wanted >= sending) {
            sending = wanted;
            groupsThatNeededLess = 0;
        } else if (++groupsThatNeededLess >= GROUPS_BEFORE_LESS) {
            sending--;
            groupsThatNeededLess = 0;
        }
        return sending;
    }

    private int parityFor(double loss) {
        int parity = minParity;
        while (parity < maxParity && shareOfUnrecoverable(loss, parity) > UNRECOVERABLE_GROUPS) {
            parity++;
        }
        return parity;
    }

    /** Returns the probability that a group loses more shards than it has parity shards. */
    private double shareOfUnrecoverable(double loss, int parity) {
        if (loss >= 1) {
            return 1;
        }
        int shards = dataShards + parity;
        double exactly = Math.pow(1 - loss, shards);
        double atMost = exactly;
        for (int lost = 1; lost <= parity; lost++) {
            exactly *= loss / (1 - loss) * (shards - lost + 1) / lost;
            atMost += exactly;
        }
        return 1 - atMost;
    }
}

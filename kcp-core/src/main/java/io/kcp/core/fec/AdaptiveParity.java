package io.kcp.core.fec;

/**
 * Chooses how many parity shards of a group are sent: as few as leave at most one group in a hundred with more losses than
 * parity, if losses are independent. The rest is left out, as if it had been lost, so the shape of groups never changes: a
 * receiver that takes one shape for another computes garbage that looks sound.
 */
final class AdaptiveParity {

    /** Groups with all their parity at first, so that a receiver can see the shape. */
    static final int FULL_GROUPS = 32;
    /** How long less would have had to do before it is less. */
    static final int GROUPS_BEFORE_LESS = 64;

    private static final double UNREPAIRED_GROUPS = 0.01;
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

    /** Tells how many parity shards of the group that ends now are to be sent. */
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
        while (parity < maxParity && shareOfUnrepaired(loss, parity) > UNREPAIRED_GROUPS) {
            parity++;
        }
        return parity;
    }

    /** The probability that of a group with so much parity more is lost than that. */
    private double shareOfUnrepaired(double loss, int parity) {
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

package io.kcp.core.fec;

/** Computes the share of groups that lose more shards than they have parity shards, for losses that come in bursts. */
final class UnrecoverableShare {

    private final int dataShards;
    private final int maxParity;
    /** Probability that a number of shards were lost so far and that the latest one arrived. */
    private final double[] arrived;
    /** Probability that a number of shards were lost so far and that the latest one was lost. */
    private final double[] lost;

    UnrecoverableShare(int dataShards, int maxParity) {
        this.dataShards = dataShards;
        this.maxParity = maxParity;
        arrived = new double[maxParity + 1];
        lost = new double[maxParity + 1];
    }

    /**
     * Returns the least number of parity shards with which at most a share of the groups are unrecoverable.
     *
     * @param loss      share of the datagrams that are lost, below 1
     * @param meanBurst mean number of datagrams that are lost in a row, at least 1
     * @param target    maximum share of groups
     * @param minParity minimum result
     * @return parity shards; the maximum if even this number does not reach the target
     */
    int parityFor(double loss, double meanBurst, double target, int minParity) {
        begin(loss);
        double lossAfterArrival = Math.min(loss / (1 - loss) / meanBurst, 1);
        double arrivalAfterLoss = 1 / meanBurst;
        for (int shards = 2; shards <= dataShards + maxParity; shards++) {
            step(lossAfterArrival, arrivalAfterLoss);
            int parity = shards - dataShards;
            if (parity >= minParity && share(parity) <= target) {
                return parity;
            }
        }
        return maxParity;
    }

    /** Returns the share of unrecoverable groups if losses are independent. */
    double independent(double loss, int parity) {
        begin(loss);
        for (int shards = 2; shards <= dataShards + parity; shards++) {
            step(loss, 1 - loss);
        }
        return share(parity);
    }

    private void begin(double loss) {
        for (int count = 0; count <= maxParity; count++) {
            arrived[count] = 0;
            lost[count] = 0;
        }
        arrived[0] = 1 - loss;
        lost[1] = loss;
    }

    private void step(double lossAfterArrival, double arrivalAfterLoss) {
        for (int count = maxParity; count >= 0; count--) {
            arrived[count] = arrived[count] * (1 - lossAfterArrival) + lost[count] * arrivalAfterLoss;
            lost[count] = count == 0 ? 0 : arrived[count - 1] * lossAfterArrival + lost[count - 1] * (1 - arrivalAfterLoss);
        }
    }

    private double share(int parity) {
        double recoverable = 0;
        for (int count = 0; count <= parity; count++) {
            recoverable += arrived[count] + lost[count];
        }
        return 1 - recoverable;
    }
}

package io.kcp.core.fec;

import java.util.SplittableRandom;

/**
 * Decides for each shard in order whether it is lost. The class {@code LossModel} of kcp-testkit cannot be used because kcp-testkit depends
 * on this module. These tests need neither its links nor its time.
 */
@FunctionalInterface
interface ShardLoss {

    boolean losesNext();

    static ShardLoss none() {
        return () -> false;
    }

    static ShardLoss independent(double probability, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        return () -> random.nextDouble() < probability;
    }

    /** Loses shards in bursts of random length. The lengths of the bursts and of the pauses between them are geometrically distributed. */
    static ShardLoss bursts(double meanBurstShards, double lossRate, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        double endOfBurst = 1 / meanBurstShards;
        double startOfBurst = Math.min(1, lossRate * endOfBurst / (1 - lossRate));
        return new ShardLoss() {
            private boolean inBurst;

            @Override
            public boolean losesNext() {
                inBurst = inBurst ? random.nextDouble() >= endOfBurst : random.nextDouble() < startOfBurst;
                return inBurst;
            }
        };
    }
}

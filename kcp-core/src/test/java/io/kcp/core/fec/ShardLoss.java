package io.kcp.core.fec;

import java.util.SplittableRandom;

/**
 * Decides for each shard in order whether it is lost. These tests have no links and no time; {@code LossModel} of kcp-testkit is for
 * simulated links, and cannot be used here because kcp-testkit depends on this module.
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

    /** Loses shards in bursts of random length. Both lengths, of bursts and of the pauses between them, are geometrically distributed. */
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

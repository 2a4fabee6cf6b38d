package io.kcp.core;

import io.netty.buffer.ByteBuf;
import java.util.SplittableRandom;

/** Two states, the bad one loses everything; its transitions follow from burst length and loss rate. */
final class GilbertElliottLoss implements LossModel {

    private final double goodToBad;
    private final double badToGood;
    private final SplittableRandom random;
    private final long idleStepUs;
    private boolean bad;
    private long steppedAtUs;

    GilbertElliottLoss(double meanBurstDatagrams, double lossRate, int idleStepMs, long seed) {
        if (meanBurstDatagrams < 1 || lossRate < 0 || lossRate >= 1) {
            throw new IllegalArgumentException("meanBurstDatagrams: " + meanBurstDatagrams + ", lossRate: " + lossRate);
        }
        badToGood = 1 / meanBurstDatagrams;
        // The share of time in the bad state is goodToBad / (goodToBad + badToGood); solved for the loss rate.
        goodToBad = Math.min(1, lossRate * badToGood / (1 - lossRate));
        random = new SplittableRandom(seed);
        idleStepUs = idleStepMs * 1_000L;
    }

    @Override
    public boolean drops(ByteBuf datagram, long nowUs) {
        if (idleStepUs > 0 && bad) {
            for (long us = nowUs - steppedAtUs; us >= idleStepUs && bad; us -= idleStepUs) {
                step();
            }
        }
        steppedAtUs = nowUs;
        step();
        return bad;
    }

    private void step() {
        double draw = random.nextDouble();
        bad = bad ? draw >= badToGood : draw < goodToBad;
    }
}

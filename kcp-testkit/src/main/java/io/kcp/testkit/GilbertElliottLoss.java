package io.kcp.testkit;

import io.netty.buffer.ByteBuf;
import java.util.SplittableRandom;

/**
 * The Gilbert–Elliott loss model with two states, good and bad. The bad state loses every datagram. Mean burst length and loss rate
 * determine the probabilities of the transitions.
 */
final class GilbertElliottLoss implements LossModel {

    private final double goodToBad;
    private final double badToGood;
    private final SplittableRandom random;
    private final long idleStepUs;
    private boolean bad;
    private long steppedAtUs;

    GilbertElliottLoss(double meanBurstDatagrams, double lossRate, int idleStepMs, long seed) {
        if (!(meanBurstDatagrams >= 1)) {
            throw new IllegalArgumentException("meanBurstDatagrams: " + meanBurstDatagrams + " (expected: at least 1)");
        }
        if (!(lossRate >= 0 && lossRate < 1)) {
            throw new IllegalArgumentException("lossRate: " + lossRate + " (expected: 0 to below 1)");
        }
        badToGood = 1 / meanBurstDatagrams;
        // The loss rate is the share of time in the bad state: lossRate = goodToBad / (goodToBad + badToGood). This line solves the
        // equation for goodToBad.
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

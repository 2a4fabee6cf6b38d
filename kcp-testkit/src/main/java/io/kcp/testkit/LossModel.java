package io.kcp.testkit;

import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.function.Predicate;

/**
 * Decides which datagrams a link loses. A link calls its model once for every datagram, in the order of transmission. Models are
 * stateful, so each link needs an instance of its own. Random models take a seed so that a run can be repeated.
 */
@FunctionalInterface
public interface LossModel {

    /**
     * Returns {@code true} if the link loses this datagram.
     *
     * @param datagram the datagram, <b>borrowed</b>; must not be modified
     * @param nowUs    the time at which the datagram is transmitted, in microseconds since the start of the link
     * @return {@code true} to lose the datagram
     */
    boolean drops(ByteBuf datagram, long nowUs);

    /**
     * Returns a model that loses no datagram.
     *
     * @return the model
     */
    static LossModel none() {
        return (datagram, nowUs) -> false;
    }

    /**
     * Returns a model that loses each datagram with the same probability, independently of other datagrams.
     *
     * @param probability the probability of a loss, 0 to 1
     * @param seed        the seed of the random decisions
     * @return the model
     */
    static LossModel independent(double probability, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        return (datagram, nowUs) -> random.nextDouble() < probability;
    }

    /**
     * Returns a Gilbert–Elliott model, which loses datagrams in bursts. The length of a burst is counted in datagrams. If the sender
     * pauses during a burst, each {@code idleStepMs} of the pause counts as one datagram.
     *
     * @param meanBurstDatagrams the mean length of a burst in datagrams, at least 1
     * @param lossRate           the mean share of lost datagrams, from 0 to below 1
     * @param idleStepMs         the duration of a pause that counts as one datagram; if it is 0, a burst lasts through any pause
     * @param seed               the seed of the random decisions
     * @return the model
     */
    static LossModel bursts(double meanBurstDatagrams, double lossRate, int idleStepMs, long seed) {
        return new GilbertElliottLoss(meanBurstDatagrams, lossRate, idleStepMs, seed);
    }

    /**
     * Returns a model that loses every {@code n}th datagram.
     *
     * @param n the number of datagrams per loss, at least 1
     * @return the model
     */
    static LossModel everyNth(int n) {
        if (n < 1) {
            throw new IllegalArgumentException("n: " + n + " (expected: at least 1)");
        }
        return new LossModel() {
            private long count;

            @Override
            public boolean drops(ByteBuf datagram, long nowUs) {
                return ++count % n == 0;
            }
        };
    }

    /**
     * Returns a model that loses the datagrams at the given positions in the order of transmission. The first datagram has position 0.
     *
     * @param places the positions of the lost datagrams
     * @return the model
     */
    static LossModel scripted(long... places) {
        long[] sorted = places.clone();
        Arrays.sort(sorted);
        return new LossModel() {
            private long place;

            @Override
            public boolean drops(ByteBuf datagram, long nowUs) {
                return Arrays.binarySearch(sorted, place++) >= 0;
            }
        };
    }

    /**
     * Returns a model that loses the first datagrams that match a predicate.
     *
     * @param count the number of datagrams to lose
     * @param kind  returns {@code true} for datagrams that may be lost
     * @return the model
     */
    static LossModel first(int count, Predicate<ByteBuf> kind) {
        return new LossModel() {
            private int dropped;

            @Override
            public boolean drops(ByteBuf datagram, long nowUs) {
                if (dropped == count || !kind.test(datagram)) {
                    return false;
                }
                dropped++;
                return true;
            }
        };
    }

    /**
     * Returns a model that loses all datagrams during one interval.
     *
     * @param fromMs the start of the interval, in milliseconds since the start of the link
     * @param toMs   the end of the interval, exclusive
     * @return the model
     */
    static LossModel blackhole(long fromMs, long toMs) {
        return (datagram, nowUs) -> nowUs >= fromMs * 1_000 && nowUs < toMs * 1_000;
    }

    /**
     * Returns a model that alternates between losing no datagrams and losing all datagrams. It starts without losses.
     *
     * @param onMs  the duration without losses, in milliseconds
     * @param offMs the duration with losses, in milliseconds
     * @return the model
     */
    static LossModel periodicBlackhole(long onMs, long offMs) {
        return (datagram, nowUs) -> nowUs / 1_000 % (onMs + offMs) >= onMs;
    }

    /**
     * Returns a model that loses a datagram if this model or another model loses it. Both models process every datagram, so each of them
     * makes the same decisions as it would without the other.
     *
     * @param other the other model
     * @return the combined model
     */
    default LossModel or(LossModel other) {
        return (datagram, nowUs) -> {
            boolean lost = drops(datagram, nowUs);
            boolean lostByOther = other.drops(datagram, nowUs);
            return lost || lostByOther;
        };
    }
}

package io.kcp.core;

import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.function.Predicate;

/**
 * Decides which datagrams a simulated link loses. A model is asked once for every datagram, in the order in which the
 * datagrams leave the link's queue, and keeps state: one instance per link and run. Random models take a seed, so that a
 * run can be repeated.
 */
@FunctionalInterface
public interface LossModel {

    /**
     * Tells whether this datagram gets lost.
     *
     * @param datagram the datagram, borrowed and not to be changed
     * @param nowUs    when it leaves the link's queue, in microseconds of virtual time
     * @return whether it is lost
     */
    boolean drops(ByteBuf datagram, long nowUs);

    /**
     * Loses nothing.
     *
     * @return the model
     */
    static LossModel none() {
        return (datagram, nowUs) -> false;
    }

    /**
     * Loses each datagram with the same probability, whatever happened before.
     *
     * @param probability 0 to 1
     * @param seed        seed
     * @return the model
     */
    static LossModel independent(double probability, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        return (datagram, nowUs) -> random.nextDouble() < probability;
    }

    /**
     * Loses datagrams in bursts: the Gilbert–Elliott model whose bad state loses everything. A burst is counted in
     * datagrams while there are some; where nothing is sent, time ends it: each {@code idleStepMs} without a datagram
     * counts as one.
     *
     * @param meanBurstDatagrams mean length of a burst, at least 1
     * @param lossRate           share of all datagrams that get lost, 0 to 1
     * @param idleStepMs         milliseconds; 0 for the pure model, whose bursts wait for ever for a sender that backs off
     * @param seed               seed
     * @return the model
     */
    static LossModel bursts(double meanBurstDatagrams, double lossRate, int idleStepMs, long seed) {
        return new GilbertElliottLoss(meanBurstDatagrams, lossRate, idleStepMs, seed);
    }

    /**
     * Loses the nth, the 2nth, the 3nth … datagram.
     *
     * @param n period in datagrams, at least 1
     * @return the model
     */
    static LossModel everyNth(int n) {
        return new LossModel() {
            private long count;

            @Override
            public boolean drops(ByteBuf datagram, long nowUs) {
                return ++count % n == 0;
            }
        };
    }

    /**
     * Loses the datagrams with these places in the order of sending, the first being 0.
     *
     * @param places places
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
     * Loses the first datagrams of a kind.
     *
     * @param count how many
     * @param kind  which
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
     * Loses everything in one span of time.
     *
     * @param fromMs start, in milliseconds of virtual time
     * @param toMs   end, exclusive
     * @return the model
     */
    static LossModel blackhole(long fromMs, long toMs) {
        return (datagram, nowUs) -> nowUs >= fromMs * 1_000 && nowUs < toMs * 1_000;
    }

    /**
     * Works and loses everything by turns, beginning with working.
     *
     * @param onMs  how long it works each time, in milliseconds
     * @param offMs how long it loses everything, in milliseconds
     * @return the model
     */
    static LossModel periodicBlackhole(long onMs, long offMs) {
        return (datagram, nowUs) -> nowUs / 1_000 % (onMs + offMs) >= onMs;
    }

    /**
     * Loses what either model loses. Both see every datagram, so neither changes the other's sequence.
     *
     * @param other the other model
     * @return the model
     */
    default LossModel or(LossModel other) {
        return (datagram, nowUs) -> drops(datagram, nowUs) | other.drops(datagram, nowUs);
    }
}

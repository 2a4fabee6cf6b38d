package io.kcp.core;

import java.util.Objects;
import java.util.function.LongFunction;

/**
 * What a one-way simulated link does to datagrams: immutable, free to share. A datagram passes, in this order, the MTU,
 * the queue with its rate, the loss model, the propagation delay with jitter and reordering, and duplication.
 */
public final class LinkProfile {

    private final long rateBitsPerSecond;
    private final int queueDatagrams;
    private final long queueBytes;
    private final int framingBytes;
    private final long delayUs;
    private final long jitterUs;
    private final boolean orderPreserved;
    private final double reorderProbability;
    private final long reorderDelayUs;
    private final double duplicateProbability;
    private final double corruptProbability;
    private final int mtuBytes;
    private final LongFunction<LossModel> loss;

    private LinkProfile(Builder builder) {
        rateBitsPerSecond = builder.rateBitsPerSecond;
        queueDatagrams = builder.queueDatagrams;
        queueBytes = builder.queueBytes;
        framingBytes = builder.framingBytes;
        delayUs = builder.delayUs;
        jitterUs = builder.jitterUs;
        orderPreserved = builder.orderPreserved;
        reorderProbability = builder.reorderProbability;
        reorderDelayUs = builder.reorderDelayUs;
        duplicateProbability = builder.duplicateProbability;
        corruptProbability = builder.corruptProbability;
        mtuBytes = builder.mtuBytes;
        loss = builder.loss;
    }

    /**
     * Starts from a link that delivers everything at once.
     *
     * @return a new builder
     */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * The path of every scenario that says nothing else: 100 Mb/s, 25 ms one way, room for 1,000 datagrams.
     *
     * @return a new builder
     */
    public static Builder broadband() {
        return builder().rateBitsPerSecond(100_000_000).queueDatagrams(1_000).delayMs(25);
    }

    /**
     * Returns a builder that starts from this profile.
     *
     * @return a new builder
     */
    public Builder toBuilder() {
        return new Builder(this);
    }

    long rateBitsPerSecond() {
        return rateBitsPerSecond;
    }

    int queueDatagrams() {
        return queueDatagrams;
    }

    long queueBytes() {
        return queueBytes;
    }

    int framingBytes() {
        return framingBytes;
    }

    long delayUs() {
        return delayUs;
    }

    long jitterUs() {
        return jitterUs;
    }

    boolean orderPreserved() {
        return orderPreserved;
    }

    double reorderProbability() {
        return reorderProbability;
    }

    long reorderDelayUs() {
        return reorderDelayUs;
    }

    double duplicateProbability() {
        return duplicateProbability;
    }

    double corruptProbability() {
        return corruptProbability;
    }

    int mtuBytes() {
        return mtuBytes;
    }

    LossModel newLossModel(long seed) {
        return loss.apply(seed);
    }

    /** Collects the properties of a link. */
    public static final class Builder {

        private long rateBitsPerSecond;
        private int queueDatagrams = Integer.MAX_VALUE;
        private long queueBytes = Long.MAX_VALUE;
        private int framingBytes;
        private long delayUs;
        private long jitterUs;
        private boolean orderPreserved;
        private double reorderProbability;
        private long reorderDelayUs;
        private double duplicateProbability;
        private double corruptProbability;
        private int mtuBytes = Integer.MAX_VALUE;
        private LongFunction<LossModel> loss = seed -> LossModel.none();

        private Builder() {
        }

        private Builder(LinkProfile profile) {
            rateBitsPerSecond = profile.rateBitsPerSecond;
            queueDatagrams = profile.queueDatagrams;
            queueBytes = profile.queueBytes;
            framingBytes = profile.framingBytes;
            delayUs = profile.delayUs;
            jitterUs = profile.jitterUs;
            orderPreserved = profile.orderPreserved;
            reorderProbability = profile.reorderProbability;
            reorderDelayUs = profile.reorderDelayUs;
            duplicateProbability = profile.duplicateProbability;
            corruptProbability = profile.corruptProbability;
            mtuBytes = profile.mtuBytes;
            loss = profile.loss;
        }

        /**
         * Sets the rate at which the queue empties. The default is 0: infinitely fast.
         *
         * @param rateBitsPerSecond bits per second
         * @return this
         */
        public Builder rateBitsPerSecond(long rateBitsPerSecond) {
            this.rateBitsPerSecond = rateBitsPerSecond;
            return this;
        }

        /**
         * Limits how many datagrams may wait for the one in transmission; more are dropped. The default is no limit.
         *
         * @param queueDatagrams datagrams
         * @return this
         */
        public Builder queueDatagrams(int queueDatagrams) {
            this.queueDatagrams = queueDatagrams;
            return this;
        }

        /**
         * Limits how many bytes, framing included, may wait. The default is no limit.
         *
         * @param queueBytes bytes
         * @return this
         */
        public Builder queueBytes(long queueBytes) {
            this.queueBytes = queueBytes;
            return this;
        }

        /**
         * Sets what each datagram costs on the link beside its own bytes (28 for IPv4 and UDP). The default is 0.
         *
         * @param framingBytes bytes
         * @return this
         */
        public Builder framingBytes(int framingBytes) {
            this.framingBytes = framingBytes;
            return this;
        }

        /**
         * Sets the propagation delay. The default is 0.
         *
         * @param delayMs milliseconds
         * @return this
         */
        public Builder delayMs(long delayMs) {
            this.delayUs = delayMs * 1_000;
            return this;
        }

        /**
         * Adds a uniformly distributed delay to each datagram. The default is none.
         *
         * @param jitterMs       largest added delay in milliseconds
         * @param orderPreserved whether no datagram overtakes another
         * @return this
         */
        public Builder jitterMs(long jitterMs, boolean orderPreserved) {
            this.jitterUs = jitterMs * 1_000;
            this.orderPreserved = orderPreserved;
            return this;
        }

        /**
         * Delays some datagrams so that later ones overtake them. The default is none.
         *
         * @param probability  share of the datagrams, 0 to 1
         * @param extraDelayMs added delay of those in milliseconds
         * @return this
         */
        public Builder reorder(double probability, long extraDelayMs) {
            this.reorderProbability = probability;
            this.reorderDelayUs = extraDelayMs * 1_000;
            return this;
        }

        /**
         * Delivers some datagrams twice; the second copy takes its own jitter. The default is none.
         *
         * @param probability share of the datagrams, 0 to 1
         * @return this
         */
        public Builder duplicateProbability(double probability) {
            this.duplicateProbability = probability;
            return this;
        }

        /**
         * Flips one bit of some datagrams. The default is none; without a cipher below, KCP cannot notice it.
         *
         * @param probability share of the datagrams, 0 to 1
         * @return this
         */
        public Builder corruptProbability(double probability) {
            this.corruptProbability = probability;
            return this;
        }

        /**
         * Drops datagrams above a size. The default is no limit.
         *
         * @param mtuBytes largest datagram in bytes, without framing
         * @return this
         */
        public Builder mtuBytes(int mtuBytes) {
            this.mtuBytes = mtuBytes;
            return this;
        }

        /**
         * Sets what gets lost. The default is nothing.
         *
         * @param loss makes the model of one run from that run's seed
         * @return this
         */
        public Builder loss(LongFunction<LossModel> loss) {
            this.loss = Objects.requireNonNull(loss, "loss");
            return this;
        }

        /**
         * Builds the profile.
         *
         * @return the profile
         */
        public LinkProfile build() {
            return new LinkProfile(this);
        }
    }
}

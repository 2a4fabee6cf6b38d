package io.kcp.testkit;

import java.util.Objects;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The properties of one direction of a {@link SimulatedLink} or a {@link LossyLinkHandler}. Instances are immutable.
 *
 * <p>A link checks the size of each datagram against the MTU, queues the datagram, transmits it at the rate of the link, applies the loss
 * model, and delays it. Jitter, reordering and duplication apply to the delay.
 */
public final class LinkProfile {

    private final long rateBitsPerSecond;
    private final @Nullable DeliveryTrace trace;
    private final long interruptedFromUs;
    private final long interruptedToUs;
    private final int queueDatagrams;
    private final long queueBytes;
    private final int framingBytes;
    private final long delayUs;
    private final long jitterUs;
    private final boolean orderPreserved;
    private final long slowJitterUs;
    private final double reorderProbability;
    private final long minReorderDelayUs;
    private final long maxReorderDelayUs;
    private final double duplicateProbability;
    private final double corruptProbability;
    private final int mtuBytes;
    private final long releaseIntervalUs;
    private final LongFunction<LossModel> loss;

    private LinkProfile(Builder builder) {
        rateBitsPerSecond = builder.rateBitsPerSecond;
        trace = builder.trace;
        interruptedFromUs = builder.interruptedFromUs;
        interruptedToUs = builder.interruptedToUs;
        queueDatagrams = builder.queueDatagrams;
        queueBytes = builder.queueBytes;
        framingBytes = builder.framingBytes;
        delayUs = builder.delayUs;
        jitterUs = builder.jitterUs;
        orderPreserved = builder.orderPreserved;
        slowJitterUs = builder.slowJitterUs;
        reorderProbability = builder.reorderProbability;
        minReorderDelayUs = builder.minReorderDelayUs;
        maxReorderDelayUs = builder.maxReorderDelayUs;
        duplicateProbability = builder.duplicateProbability;
        corruptProbability = builder.corruptProbability;
        mtuBytes = builder.mtuBytes;
        releaseIntervalUs = builder.releaseIntervalUs;
        loss = builder.loss;
    }

    /**
     * Returns a builder for a link that delivers every datagram without delay.
     *
     * @return a new builder
     */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * Returns a builder for a link with 100 Mbit/s, a delay of 25 ms and a queue of 1,000 datagrams.
     *
     * @return a new builder
     */
    public static Builder broadband() {
        return builder().rateBitsPerSecond(100_000_000).queueDatagrams(1_000).delayMs(25);
    }

    /**
     * Returns a builder with the properties of this profile.
     *
     * @return a new builder
     */
    public Builder toBuilder() {
        return new Builder(this);
    }

    long rateBitsPerSecond() {
        return rateBitsPerSecond;
    }

    @Nullable DeliveryTrace trace() {
        return trace;
    }

    long interruptedFromUs() {
        return interruptedFromUs;
    }

    long interruptedToUs() {
        return interruptedToUs;
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

    long slowJitterUs() {
        return slowJitterUs;
    }

    double reorderProbability() {
        return reorderProbability;
    }

    long minReorderDelayUs() {
        return minReorderDelayUs;
    }

    long maxReorderDelayUs() {
        return maxReorderDelayUs;
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

    long releaseIntervalUs() {
        return releaseIntervalUs;
    }

    LossModel newLossModel(long seed) {
        return loss.apply(seed);
    }

    /** Builds a {@link LinkProfile}. */
    public static final class Builder {

        private long rateBitsPerSecond;
        private @Nullable DeliveryTrace trace;
        private long interruptedFromUs;
        private long interruptedToUs;
        private int queueDatagrams = Integer.MAX_VALUE;
        private long queueBytes = Long.MAX_VALUE;
        private int framingBytes;
        private long delayUs;
        private long jitterUs;
        private boolean orderPreserved;
        private long slowJitterUs;
        private double reorderProbability;
        private long minReorderDelayUs;
        private long maxReorderDelayUs;
        private double duplicateProbability;
        private double corruptProbability;
        private int mtuBytes = Integer.MAX_VALUE;
        private long releaseIntervalUs;
        private LongFunction<LossModel> loss = seed -> LossModel.none();

        private Builder() {
        }

        private Builder(LinkProfile profile) {
            rateBitsPerSecond = profile.rateBitsPerSecond;
            trace = profile.trace;
            interruptedFromUs = profile.interruptedFromUs;
            interruptedToUs = profile.interruptedToUs;
            queueDatagrams = profile.queueDatagrams;
            queueBytes = profile.queueBytes;
            framingBytes = profile.framingBytes;
            delayUs = profile.delayUs;
            jitterUs = profile.jitterUs;
            orderPreserved = profile.orderPreserved;
            slowJitterUs = profile.slowJitterUs;
            reorderProbability = profile.reorderProbability;
            minReorderDelayUs = profile.minReorderDelayUs;
            maxReorderDelayUs = profile.maxReorderDelayUs;
            duplicateProbability = profile.duplicateProbability;
            corruptProbability = profile.corruptProbability;
            mtuBytes = profile.mtuBytes;
            releaseIntervalUs = profile.releaseIntervalUs;
            loss = profile.loss;
        }

        /**
         * Sets the rate of the link. The default is 0, which means no limit.
         *
         * @param rateBitsPerSecond the rate in bits per second
         * @return this
         */
        public Builder rateBitsPerSecond(long rateBitsPerSecond) {
            this.rateBitsPerSecond = atLeastZero("rateBitsPerSecond", rateBitsPerSecond);
            return this;
        }

        /**
         * Sets a variable rate, which replaces that of {@link #rateBitsPerSecond}. The default is none.
         *
         * @param trace the recorded rate, which starts when the link starts and repeats; null for a constant rate
         * @return this
         */
        public Builder trace(@Nullable DeliveryTrace trace) {
            this.trace = trace;
            return this;
        }

        /**
         * Makes the link transmit nothing for a period. Datagrams wait in the queue, as they do while a phone changes its cell. To lose
         * these datagrams instead, use {@link LossModel#blackhole}. The default is no interruption.
         *
         * @param fromMs start of the period, in milliseconds since the start of the link
         * @param toMs   end of the period, exclusive
         * @return this
         */
        public Builder interruption(double fromMs, double toMs) {
            this.interruptedFromUs = microseconds("fromMs", fromMs);
            this.interruptedToUs = microseconds("toMs", toMs);
            if (interruptedToUs < interruptedFromUs) {
                throw new IllegalArgumentException("toMs: " + toMs + " (expected: at least " + fromMs + ')');
            }
            return this;
        }

        /**
         * Makes datagrams arrive together at regular times, as Wi-Fi does when it aggregates frames. On the path of the acknowledgements,
         * the sender then receives many acknowledgements at once. The default is 0, which means that datagrams arrive one by one.
         *
         * @param intervalMs the time from one arrival to the next in milliseconds
         * @return this
         */
        public Builder releaseIntervalMs(double intervalMs) {
            this.releaseIntervalUs = microseconds("intervalMs", intervalMs);
            return this;
        }

        /**
         * Sets the maximum number of datagrams in the queue. Further datagrams are dropped. The default is no limit. The datagram in
         * transmission does not count.
         *
         * @param queueDatagrams the number of datagrams
         * @return this
         */
        public Builder queueDatagrams(int queueDatagrams) {
            this.queueDatagrams = (int) atLeastZero("queueDatagrams", queueDatagrams);
            return this;
        }

        /**
         * Sets the maximum number of bytes in the queue, including framing. The default is no limit.
         *
         * @param queueBytes the number of bytes
         * @return this
         */
        public Builder queueBytes(long queueBytes) {
            this.queueBytes = atLeastZero("queueBytes", queueBytes);
            return this;
        }

        /**
         * Sets the number of bytes that lower layers add to each datagram, for example 28 for IPv4 and UDP. The default is 0.
         *
         * @param framingBytes the number of bytes
         * @return this
         */
        public Builder framingBytes(int framingBytes) {
            this.framingBytes = (int) atLeastZero("framingBytes", framingBytes);
            return this;
        }

        /**
         * Sets the propagation delay. The default is 0.
         *
         * @param delayMs the delay in milliseconds
         * @return this
         */
        public Builder delayMs(double delayMs) {
            this.delayUs = microseconds("delayMs", delayMs);
            return this;
        }

        /**
         * Adds a random delay to each datagram, distributed uniformly from 0 to {@code jitterMs}. The default is 0.
         *
         * @param jitterMs       the maximum additional delay in milliseconds
         * @param orderPreserved {@code true} to keep the order of datagrams
         * @return this
         */
        public Builder jitterMs(double jitterMs, boolean orderPreserved) {
            this.jitterUs = microseconds("jitterMs", jitterMs);
            this.orderPreserved = orderPreserved;
            return this;
        }

        /**
         * Adds a delay that changes slowly between 0 and {@code jitterMs}, like the delay of a shared queue. The order of datagrams is
         * preserved. The default is 0.
         *
         * @param jitterMs the maximum additional delay in milliseconds
         * @return this
         */
        public Builder slowJitterMs(double jitterMs) {
            this.slowJitterUs = microseconds("jitterMs", jitterMs);
            return this;
        }

        /**
         * Adds a fixed delay to some datagrams, so that later datagrams overtake them. The default probability is 0.
         *
         * @param probability  the probability that a datagram is delayed further, 0 to 1
         * @param extraDelayMs the additional delay in milliseconds
         * @return this
         */
        public Builder reorder(double probability, double extraDelayMs) {
            return reorder(probability, extraDelayMs, extraDelayMs);
        }

        /**
         * Adds a random delay to some datagrams, so that later datagrams overtake them. The default probability is 0.
         *
         * @param probability     the probability that a datagram is delayed further, 0 to 1
         * @param minExtraDelayMs the minimum additional delay in milliseconds
         * @param maxExtraDelayMs the maximum additional delay in milliseconds
         * @return this
         */
        public Builder reorder(double probability, double minExtraDelayMs, double maxExtraDelayMs) {
            this.reorderProbability = probability("probability", probability);
            this.minReorderDelayUs = microseconds("minExtraDelayMs", minExtraDelayMs);
            this.maxReorderDelayUs = microseconds("maxExtraDelayMs", maxExtraDelayMs);
            if (maxReorderDelayUs < minReorderDelayUs) {
                throw new IllegalArgumentException("maxExtraDelayMs: " + maxExtraDelayMs + " (expected: at least " + minExtraDelayMs + ')');
            }
            return this;
        }

        /**
         * Delivers some datagrams twice. The jitter of the second copy is independent of that of the first. The default probability is 0.
         *
         * @param probability the probability that a datagram is duplicated, 0 to 1
         * @return this
         */
        public Builder duplicateProbability(double probability) {
            this.duplicateProbability = probability("probability", probability);
            return this;
        }

        /**
         * Inverts one bit of some datagrams. KCP has no checksum, so only a cipher detects the inverted bit. The default probability is 0.
         *
         * @param probability the probability that a datagram is corrupted, 0 to 1
         * @return this
         */
        public Builder corruptProbability(double probability) {
            this.corruptProbability = probability("probability", probability);
            return this;
        }

        /**
         * Sets the maximum size of a datagram that the link transmits. Larger datagrams are dropped. The default is no limit.
         *
         * @param mtuBytes the size of the largest datagram in bytes, without framing
         * @return this
         */
        public Builder mtuBytes(int mtuBytes) {
            this.mtuBytes = (int) atLeastZero("mtuBytes", mtuBytes);
            return this;
        }

        /**
         * Makes the link lose each datagram with the same probability. The default is 0.
         *
         * @param probability the probability that a datagram is lost, 0 to 1
         * @return this
         */
        public Builder lossProbability(double probability) {
            double checked = probability("probability", probability);
            return loss(seed -> LossModel.independent(checked, seed));
        }

        /**
         * Sets the loss model. The default is {@link LossModel#none()}.
         *
         * @param loss creates the loss model of a link from the seed of that link
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

        private static long atLeastZero(String name, long value) {
            if (value < 0) {
                throw new IllegalArgumentException(name + ": " + value + " (expected: at least 0)");
            }
            return value;
        }

        private static long microseconds(String name, double ms) {
            if (!(ms >= 0)) {
                throw new IllegalArgumentException(name + ": " + ms + " (expected: at least 0)");
            }
            return Math.round(ms * 1_000);
        }

        private static double probability(String name, double value) {
            if (!(value >= 0 && value <= 1)) {
                throw new IllegalArgumentException(name + ": " + value + " (expected: 0 to 1)");
            }
            return value;
        }
    }
}

package io.kcp.testkit;

import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Applies a {@link LinkProfile} to the datagrams of one direction of a link. This class decides the fate of each datagram and the times at
 * which its copies arrive. The class has no clock and no receiver, so {@link SimulatedLink} and {@link LossyLinkHandler} both use it.
 */
final class Impairments {

    /** The time in which the slow jitter changes linearly from one random value to the next. */
    private static final long SLOPE_US = 100_000;
    private static final long OTHERS_SEED = 0x9E3779B97F4A7C15L;

    private final LinkProfile profile;
    private final LossModel lossModel;
    private final SplittableRandom random;
    private final SplittableRandom reorderDelays;
    private final SplittableRandom slopes;
    private final DeliveryTrace.@Nullable Position trace;
    private final ArrayDeque<Waiting> queue = new ArrayDeque<>();
    private long queuedBytes;
    private long busyUntilUs;
    private long latestArrivalUs = Long.MIN_VALUE;
    private long slopeStartUs = Long.MIN_VALUE;
    private double slopeStart;
    private double slopeEnd;

    private boolean reordered;
    private long corruption;
    private long arrivalUs;
    private long copyArrivalUs;

    Impairments(LinkProfile profile, long seed) {
        this.profile = profile;
        random = new SplittableRandom(seed);
        SplittableRandom others = new SplittableRandom(seed ^ OTHERS_SEED);
        reorderDelays = others.split();
        slopes = others.split();
        slopeEnd = slopes.nextDouble();
        lossModel = profile.newLossModel(random.nextLong());
        DeliveryTrace rates = profile.trace();
        trace = rates == null ? null : rates.start();
    }

    LinkProfile profile() {
        return profile;
    }

    /** Returns the fate of the next datagram, which is borrowed. The other methods then return the details. */
    LinkFate next(ByteBuf datagram, long nowUs) {
        // Draws the same number of random values for every datagram, so that the fate of one datagram does not affect the values drawn for
        // later datagrams.
        double jitter = random.nextDouble();
        double copyJitter = random.nextDouble();
        reordered = random.nextDouble() < profile.reorderProbability();
        boolean duplicated = random.nextDouble() < profile.duplicateProbability();
        boolean corrupted = random.nextDouble() < profile.corruptProbability() && datagram.isReadable();
        corruption = random.nextLong();
        double reorderDelay = reorderDelays.nextDouble();

        int linkBytes = datagram.readableBytes() + profile.framingBytes();
        if (datagram.readableBytes() > profile.mtuBytes()) {
            return LinkFate.TOO_LARGE;
        }
        if (!hasRoom(linkBytes, nowUs)) {
            return LinkFate.QUEUE_FULL;
        }
        long departureUs = transmit(linkBytes, nowUs);
        if (lossModel.drops(datagram, departureUs)) {
            return LinkFate.LOST;
        }
        arrivalUs = released(inOrder(departureUs, jitter) + (reordered ? reorderDelayUs(reorderDelay) : 0));
        if (corrupted) {
            return LinkFate.CORRUPTED;
        }
        if (duplicated) {
            copyArrivalUs = released(inOrder(departureUs, copyJitter));
            return LinkFate.DUPLICATED;
        }
        return LinkFate.DELIVERED;
    }

    /** Returns the arrival time of the datagram that was most recently passed to {@link #next}. */
    long arrivalUs() {
        return arrivalUs;
    }

    /**
     * Returns the arrival time of the second copy of the datagram that was most recently passed to {@link #next}. Must be called only if
     * that datagram was duplicated.
     */
    long copyArrivalUs() {
        return copyArrivalUs;
    }

    /**
     * Returns {@code true} if the datagram most recently passed to {@link #next} is delayed further, so that later datagrams can overtake
     * it.
     */
    boolean isReordered() {
        return reordered;
    }

    /** Inverts one bit of the datagram that was most recently passed to {@link #next}. */
    void corrupt(ByteBuf datagram) {
        int bit = (int) Long.remainderUnsigned(corruption, datagram.readableBytes() * 8L);
        int index = datagram.readerIndex() + (bit >> 3);
        datagram.setByte(index, datagram.getByte(index) ^ 1 << (bit & 7));
    }

    private boolean hasRoom(int linkBytes, long nowUs) {
        for (Waiting first = queue.peek(); first != null && first.startUs <= nowUs; first = queue.peek()) {
            queuedBytes -= first.linkBytes;
            queue.remove();
        }
        // A datagram that finds the link free is transmitted immediately and does not occupy the queue.
        return busyUntilUs <= nowUs
            || queue.size() < profile.queueDatagrams() && queuedBytes + linkBytes <= profile.queueBytes();
    }

    private long transmit(int linkBytes, long nowUs) {
        long startUs = Math.max(nowUs, busyUntilUs);
        if (startUs >= profile.interruptedFromUs() && startUs < profile.interruptedToUs()) {
            startUs = profile.interruptedToUs();
        }
        if (startUs > nowUs) {
            queue.add(new Waiting(startUs, linkBytes));
            queuedBytes += linkBytes;
        }
        busyUntilUs = endUs(linkBytes, startUs);
        return busyUntilUs;
    }

    /** Returns the time at which a transmission ends. */
    private long endUs(int linkBytes, long startUs) {
        if (trace != null) {
            return trace.departureUs(linkBytes, startUs);
        }
        return profile.rateBitsPerSecond() == 0 ? startUs
            : startUs + Math.max(1, linkBytes * 8_000_000L / profile.rateBitsPerSecond());
    }

    /** Delays an arrival until the next time at which the link releases datagrams. */
    private long released(long us) {
        long intervalUs = profile.releaseIntervalUs();
        return intervalUs == 0 ? us : (us + intervalUs - 1) / intervalUs * intervalUs;
    }

    private long inOrder(long departureUs, double jitter) {
        long us = departureUs + profile.delayUs() + (long) (jitter * profile.jitterUs());
        if (profile.slowJitterUs() > 0) {
            us += (long) (slowJitter(departureUs) * profile.slowJitterUs());
        }
        if (profile.orderPreserved() || profile.slowJitterUs() > 0) {
            us = Math.max(us, latestArrivalUs);
            latestArrivalUs = us;
        }
        return us;
    }

    private long reorderDelayUs(double share) {
        return profile.minReorderDelayUs() + (long) (share * (profile.maxReorderDelayUs() - profile.minReorderDelayUs()));
    }

    /** Returns a value from 0 to 1 that is interpolated linearly between random values. */
    private double slowJitter(long nowUs) {
        if (slopeStartUs == Long.MIN_VALUE) {
            slopeStartUs = nowUs;
            slopeStart = slopes.nextDouble();
        }
        for (; nowUs - slopeStartUs >= SLOPE_US; slopeStartUs += SLOPE_US) {
            slopeStart = slopeEnd;
            slopeEnd = slopes.nextDouble();
        }
        return slopeStart + (slopeEnd - slopeStart) * (nowUs - slopeStartUs) / SLOPE_US;
    }

    private record Waiting(long startUs, int linkBytes) {
    }
}

package io.kcp.testkit;

import java.util.ArrayDeque;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * The slowest link of a path, which several flows share: a queue of limited size in front of a link of a given rate, followed by random
 * losses. The rate may change at given times or follow a {@link DeliveryTrace}. The class computes when each datagram leaves the link; it
 * has no events of its own.
 */
final class Bottleneck {

    /** IPv4 and UDP headers of a datagram. */
    static final int FRAMING_BYTES = 28;

    /** A rate that applies from a given time on. */
    record Step(long fromUs, long bitsPerSecond) {
    }

    private record Queued(long departureUs, int bytes) {
    }

    private final SplittableRandom random;
    private final ArrayDeque<Queued> queue = new ArrayDeque<>();
    private Step[] steps;
    private long queueLimitBytes;
    private double lossShare;
    private double meanBurst = 1;
    private boolean inBurst;
    private long policedBitsPerSecond;
    private long policerBucketBytes;
    private double policerTokens;
    private long policerAtUs;

    private long outageFromUs = Long.MAX_VALUE;
    private long outageToUs = Long.MAX_VALUE;
    private long pauseFromUs = Long.MAX_VALUE;
    private long pauseToUs = Long.MAX_VALUE;
    private long traceBitsPerSecond;
    private DeliveryTrace.@Nullable Position trace;

    private long queuedBytes;
    private long busyUntilUs;
    private int step;

    Bottleneck(long seed, long bitsPerSecond) {
        random = new SplittableRandom(seed);
        steps = new Step[] {new Step(0, bitsPerSecond)};
        queueLimitBytes = Long.MAX_VALUE;
    }

    Bottleneck queueBytes(long bytes) {
        queueLimitBytes = bytes;
        return this;
    }

    Bottleneck loss(double share) {
        lossShare = share;
        return this;
    }

    /** Makes losses occur in bursts of this mean length. */
    Bottleneck bursts(double meanDatagrams) {
        meanBurst = meanDatagrams;
        return this;
    }

    Bottleneck rates(Step... rateSteps) {
        steps = rateSteps;
        return this;
    }

    /** Drops datagrams that exceed a rate and a bucket, without delaying any datagram. */
    Bottleneck policer(long bitsPerSecond, long bucketBytes) {
        policedBitsPerSecond = bitsPerSecond;
        policerBucketBytes = bucketBytes;
        policerTokens = bucketBytes;
        return this;
    }

    /** Loses all datagrams that enter the link within a period. */
    Bottleneck outage(long fromUs, long toUs) {
        outageFromUs = fromUs;
        outageToUs = toUs;
        return this;
    }

    /** Transmits nothing within a period. Datagrams that enter the link wait in the queue. */
    Bottleneck pause(long fromUs, long toUs) {
        pauseFromUs = fromUs;
        pauseToUs = toUs;
        return this;
    }

    /** Replaces the rate by a recorded one. */
    Bottleneck trace(DeliveryTrace recorded) {
        traceBitsPerSecond = recorded.meanBitsPerSecond();
        trace = recorded.start();
        return this;
    }

    /** Returns the rate at a time, or the mean rate of a trace. */
    long bitsPerSecond(long atUs) {
        if (trace != null) {
            return traceBitsPerSecond;
        }
        long rate = steps[0].bitsPerSecond;
        for (Step each : steps) {
            if (each.fromUs <= atUs) {
                rate = each.bitsPerSecond;
            }
        }
        return rate;
    }

    /** Returns the time at which a datagram leaves the link, or -1 if the queue or the policer drops it. */
    long transmit(int datagramBytes, long nowUs) {
        int bytes = datagramBytes + FRAMING_BYTES;
        if (nowUs >= outageFromUs && nowUs < outageToUs || !passesPolicer(bytes, nowUs)) {
            return -1;
        }
        for (Queued first = queue.peek(); first != null && first.departureUs <= nowUs; first = queue.peek()) {
            queuedBytes -= first.bytes;
            queue.remove();
        }
        if (busyUntilUs > nowUs && queuedBytes + bytes > queueLimitBytes) {
            return -1;
        }
        long startUs = Math.max(busyUntilUs, nowUs);
        if (startUs >= pauseFromUs && startUs < pauseToUs) {
            startUs = pauseToUs;
        }
        busyUntilUs = trace == null ? departureUs(startUs, bytes * 8L) : trace.departureUs(bytes, startUs);
        queue.add(new Queued(busyUntilUs, bytes));
        queuedBytes += bytes;
        return busyUntilUs;
    }

    private boolean passesPolicer(int bytes, long nowUs) {
        if (policedBitsPerSecond == 0) {
            return true;
        }
        policerTokens = Math.min(policerBucketBytes, policerTokens + (nowUs - policerAtUs) * (policedBitsPerSecond / 8e6));
        policerAtUs = nowUs;
        if (policerTokens < bytes) {
            return false;
        }
        policerTokens -= bytes;
        return true;
    }

    private long departureUs(long startUs, long bits) {
        while (step + 1 < steps.length && steps[step + 1].fromUs <= startUs) {
            step++;
        }
        long atUs = startUs;
        double left = bits;
        for (int i = step; ; i++) {
            double perUs = steps[i].bitsPerSecond / 1e6;
            long endUs = i + 1 < steps.length ? steps[i + 1].fromUs : Long.MAX_VALUE;
            double neededUs = left / perUs;
            if (atUs + neededUs <= endUs) {
                return atUs + Math.max(1, Math.round(neededUs));
            }
            left -= (endUs - atUs) * perUs;
            atUs = endUs;
        }
    }

    /** Returns {@code true} if a datagram that has left the link is lost. */
    boolean loses() {
        if (lossShare == 0) {
            return false;
        }
        if (meanBurst == 1) {
            return random.nextDouble() < lossShare;
        }
        double end = 1 / meanBurst;
        double draw = random.nextDouble();
        inBurst = inBurst ? draw >= end : draw < lossShare * end / (1 - lossShare);
        return inBurst;
    }
}

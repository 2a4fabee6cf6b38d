package io.kcp.examples;

import java.util.SplittableRandom;
import java.util.function.LongConsumer;

/**
 * Decides at random whether each datagram of one direction is lost, reordered or duplicated. With the same seed, the n-th datagram
 * always has the same outcome, whenever it arrives. Not thread-safe, except for {@link #counts()}.
 */
final class LinkDice {

    private static final double NANOS_PER_MS = 1e6;
    /** Interval at which the jitter moves to a new random value. */
    private static final long WANDER_NANOS = 100_000_000;
    /** Minimum additional delay of a reordered datagram. */
    private static final double HELD_BACK_AT_LEAST_MS = 2;

    private final LinkConditions conditions;
    private final SplittableRandom fates;
    private final SplittableRandom wandering;
    private boolean begun;
    private long wanderFromNanos;
    private double wanderFrom;
    private double wanderTo;
    private long lastDueNanos;
    private volatile LinkCounts counts = new LinkCounts(0, 0, 0, 0, 0);

    LinkDice(LinkConditions conditions, long seed) {
        this.conditions = conditions;
        SplittableRandom random = new SplittableRandom(seed);
        fates = random.split();
        wandering = random.split();
    }

    /** Passes the delivery time of the next datagram to {@code dueNanos}, twice for a duplicate and not at all for a lost datagram. */
    void roll(int bytes, long nowNanos, LongConsumer dueNanos) {
        // Generates the same number of random values for every datagram, so that the fate of one datagram does not affect the next.
        boolean lost = fates.nextDouble(100) < conditions.lossPercent();
        boolean duplicated = fates.nextDouble(100) < conditions.duplicatePercent();
        boolean reordered = fates.nextDouble(100) < conditions.reorderPercent();
        double heldBack = fates.nextDouble();
        double copyLater = fates.nextDouble();
        long inOrderNanos = inOrder(nowNanos);
        if (!lost) {
            double heldBackMs = HELD_BACK_AT_LEAST_MS + heldBack * conditions.delayMs();
            dueNanos.accept(reordered ? inOrderNanos + (long) (heldBackMs * NANOS_PER_MS) : inOrderNanos);
            if (duplicated) {
                dueNanos.accept(inOrderNanos + (long) (copyLater * conditions.jitterMs() * NANOS_PER_MS));
            }
        }
        LinkCounts before = counts;
        counts = new LinkCounts(before.entered() + 1, before.bytes() + bytes, before.lost() + (lost ? 1 : 0),
            before.reordered() + (reordered && !lost ? 1 : 0), before.duplicated() + (duplicated && !lost ? 1 : 0));
    }

    /** Returns the counters. May be called from any thread. */
    LinkCounts counts() {
        return counts;
    }

    private long inOrder(long nowNanos) {
        double jitterMs = conditions.jitterMs() * wander(nowNanos);
        long due = nowNanos + (long) ((conditions.delayMs() + jitterMs) * NANOS_PER_MS);
        if (begun && due < lastDueNanos) {
            due = lastDueNanos;
        }
        begun = true;
        lastDueNanos = due;
        return due;
    }

    /** Returns a value from 0 to 1 that is interpolated linearly between random points. */
    private double wander(long nowNanos) {
        if (!begun) {
            wanderFromNanos = nowNanos;
            wanderFrom = wandering.nextDouble();
            wanderTo = wandering.nextDouble();
        }
        while (nowNanos - wanderFromNanos >= WANDER_NANOS) {
            wanderFromNanos += WANDER_NANOS;
            wanderFrom = wanderTo;
            wanderTo = wandering.nextDouble();
        }
        return wanderFrom + (wanderTo - wanderFrom) * (nowNanos - wanderFromNanos) / WANDER_NANOS;
    }
}

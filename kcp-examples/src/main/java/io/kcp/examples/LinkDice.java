package io.kcp.examples;

import java.util.SplittableRandom;
import java.util.function.LongConsumer;

/**
 * Decides what becomes of each datagram of one direction. The same seed gives the same fates to the first, second, third...
 * datagram, whenever they come. Not thread safe, but for {@link #counts()}.
 */
final class LinkDice {

    private static final double NANOS_PER_MS = 1e6;
    /** How often the wandering delay takes a new direction. */
    private static final long WANDER_NANOS = 100_000_000;
    /** What is held back comes at least this much later than its place in the order. */
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

    /** Says when the next datagram, of so many bytes, goes out: calls {@code dueNanos} not at all, once or twice. */
    void roll(int bytes, long nowNanos, LongConsumer dueNanos) {
        // Always as many dice, so that each datagram has its own whatever happened to those before.
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

    /** From any thread. */
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

    /** A number from 0 to 1 that moves in straight lines between random corners. */
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

package io.kcp.core.fec;

/**
 * Chooses how many parity shards to send for each group, so that at most 1 % of the groups lose more shards than their parity can recover.
 * The choice depends on the loss of the path and on the mean length of its bursts ({@link BurstLoss}), not on the retransmissions, because
 * parity that recovers all losses leaves none. The remaining parity shards are omitted as if they were lost. The shape does not change,
 * because a receiver that assumes a wrong shape may recover garbage that appears valid.
 *
 * <p>The number of parity shards is increased as soon as the estimated loss requires it, but only {@value #INCREASE_INTERVAL_MS} ms after
 * the previous change. It is reduced after {@value #REDUCTION_INTERVAL_MS} ms and {@value #REDUCTION_GROUPS} groups in which a quarter more
 * loss than estimated would not have required as many. Therefore a random error of the estimate does not change the number back and forth,
 * and no peer can cause more than 30 changes a minute.
 */
final class AdaptiveParity {

    /**
     * Number of initial groups that are sent with all their parity, so that a receiver can detect the numbers of data and parity shards.
     */
    static final int FULL_GROUPS = 32;
    /** Minimum time between a change and the next increase. */
    static final int INCREASE_INTERVAL_MS = 2_000;
    /** Minimum time between a change and the next reduction. */
    static final int REDUCTION_INTERVAL_MS = 10_000;
    /** Minimum number of groups between a change and the next reduction. */
    static final int REDUCTION_GROUPS = 256;
    /** Number of groups after which the choice is checked. */
    static final int GROUPS_PER_CHECK = 16;

    /** Share of unrecoverable groups that is aimed for. It is below 1 %, because errors of the estimate increase the mean share. */
    private static final double UNRECOVERABLE_GROUPS = 0.008;
    private static final double REDUCTION_MARGIN = 1.25;
    private static final double PERMILLE = 1_000;
    private static final double MAX_LOSS = 0.9;
    private static final int BISECTIONS = 12;

    private final int minParity;
    private final int maxParity;
    private final BurstLoss loss;
    private final UnrecoverableShare unrecoverable;
    private int sending;
    private int fullGroups = FULL_GROUPS;
    private int groupsUntilCheck = GROUPS_PER_CHECK;
    private boolean timed;
    private boolean changed;
    private int changedAtMs;
    /** Start of the period in which {@link #mostNeeded} is the most parity that was needed, and the number of its groups. */
    private int periodAtMs;
    private int periodGroups;
    private int mostNeeded;

    AdaptiveParity(FecConfig config, BurstLoss loss) {
        this.loss = loss;
        minParity = config.minParityShards();
        maxParity = config.shape().parityShards();
        unrecoverable = new UnrecoverableShare(config.shape().dataShards(), maxParity);
        sending = config.firstParityShards();
    }

    void onLossMeasured(int permille) {
        loss.setIndependent(permille / PERMILLE);
    }

    /**
     * Estimates the loss from the share of data shards that parity could not recover. Parity hides the other losses if a group has one or
     * two data shards.
     */
    void onUnrecoveredMeasured(int permille) {
        double low = 0;
        double high = MAX_LOSS;
        for (int i = 0; i < BISECTIONS; i++) {
            double middle = (low + high) / 2;
            if (unrecoverable.independent(middle, sending) < permille / PERMILLE) {
                low = middle;
            } else {
                high = middle;
            }
        }
        loss.setIndependent(loss.isKnown() ? loss.loss() + (low - loss.loss()) / 4 : low);
    }

    /** Returns the number of parity shards to send for the group that has just become full. */
    int parityOfNextGroup(int nowMs) {
        if (!timed) {
            timed = true;
            beginPeriod(nowMs);
        }
        periodGroups++;
        if (--groupsUntilCheck <= 0) {
            groupsUntilCheck = GROUPS_PER_CHECK;
            check(nowMs);
        }
        if (fullGroups > 0) {
            fullGroups--;
            return maxParity;
        }
        return sending;
    }

    private void check(int nowMs) {
        loss.update();
        if (!loss.isKnown()) {
            return;
        }
        int needed = parityFor(loss.loss());
        if (needed > sending && (!changed || hasPassed(nowMs - changedAtMs, INCREASE_INTERVAL_MS))) {
            change(needed, nowMs);
        }
        mostNeeded = Math.max(mostNeeded, parityFor(Math.min(loss.loss() * REDUCTION_MARGIN, MAX_LOSS)));
        if (periodGroups >= REDUCTION_GROUPS && hasPassed(nowMs - periodAtMs, REDUCTION_INTERVAL_MS)) {
            if (mostNeeded < sending) {
                change(mostNeeded, nowMs);
            } else {
                beginPeriod(nowMs);
            }
        }
    }

    private void change(int parity, int nowMs) {
        sending = parity;
        changed = true;
        changedAtMs = nowMs;
        beginPeriod(nowMs);
    }

    private void beginPeriod(int nowMs) {
        periodAtMs = nowMs;
        periodGroups = 0;
        mostNeeded = minParity;
    }

    /** Returns {@code true} if a time has passed. A negative time is a wrapped clock after an idle period of 25 days. */
    private static boolean hasPassed(int elapsedMs, int timeMs) {
        return elapsedMs >= timeMs || elapsedMs < 0;
    }

    private int parityFor(double share) {
        return unrecoverable.parityFor(share, loss.meanBurst(), UNRECOVERABLE_GROUPS, minParity);
    }
}

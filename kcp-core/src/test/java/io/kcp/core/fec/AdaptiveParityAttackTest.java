package io.kcp.core.fec;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A peer that lies about the datagrams that arrive changes the number of parity shards only within its bounds, and not often. */
class AdaptiveParityAttackTest {

    private static final int MINUTES = 5;
    private static final int SEEDS = 20;
    private static final int MINUTE_MS = 60_000;
    private static final int MAX_CHANGES_A_MINUTE = 30;
    private static final int MS_PER_SLOW_DATAGRAM = 4;
    private static final int DATA_SHARDS = 10;
    private static final int MAX_PARITY = 6;

    /** Decides which shards the peer acknowledges. */
    enum Lie {
        ACKNOWLEDGE_NOTHING,
        ACKNOWLEDGE_ONE_OF_TWO,
        ACKNOWLEDGE_FIRST_AND_NINTH,
        ALTERNATE_EVERY_SECOND,
        ALTERNATE_EVERY_12_SECONDS,
        ACKNOWLEDGE_AT_RANDOM,
        ACKNOWLEDGE_ARBITRARY_SHARDS;

        private boolean acknowledges(long shard, int nowMs, SplittableRandom random) {
            return switch (this) {
                case ACKNOWLEDGE_NOTHING -> false;
                case ACKNOWLEDGE_ONE_OF_TWO -> shard % 2 == 0;
                case ACKNOWLEDGE_FIRST_AND_NINTH -> shard % 10 == 0 || shard % 10 == 8;
                case ALTERNATE_EVERY_SECOND -> nowMs / 1_000 % 2 == 0 || shard % 2 == 0;
                case ALTERNATE_EVERY_12_SECONDS -> nowMs / 12_000 % 2 == 0 || shard % 2 == 0;
                case ACKNOWLEDGE_AT_RANDOM -> random.nextInt(10) < nowMs / 5_000 % 10;
                case ACKNOWLEDGE_ARBITRARY_SHARDS -> true;
            };
        }
    }

    @ParameterizedTest
    @EnumSource
    void parityStaysWithinBoundsAndChangesSeldom(Lie lie) {
        int mostChanges = 0;
        for (int seed = 1; seed <= SEEDS; seed++) {
            // One of the seeds sends fast enough that only the time limits the changes.
            mostChanges = Math.max(mostChanges, changesInWorstMinute(lie, seed, seed == 1 ? 8 : 1));
        }
        System.out.println("  " + lie + ": at most " + mostChanges + " changes a minute");
        assertThat(mostChanges).isLessThanOrEqualTo(MAX_CHANGES_A_MINUTE);
    }

    private static int changesInWorstMinute(Lie lie, int seed, int datagramsPerMs) {
        SplittableRandom random = new SplittableRandom(seed);
        FecConfig config = FecConfig.of(new FecShape(DATA_SHARDS, 3)).adaptive(1, MAX_PARITY);
        BurstLoss loss = new BurstLoss(DATA_SHARDS);
        AdaptiveParity adaptive = new AdaptiveParity(config, loss);
        ArrivalMonitor arrivals = new ArrivalMonitor(DATA_SHARDS, loss);
        Deque<Integer> changes = new ArrayDeque<>();
        int worst = 0;
        int parity = MAX_PARITY;
        int startMs = random.nextInt();
        for (int i = 0; i < MINUTES * MINUTE_MS / MS_PER_SLOW_DATAGRAM * datagramsPerMs; i++) {
            int nowMs = MS_PER_SLOW_DATAGRAM * i / datagramsPerMs;
            long shard = arrivals.onSegmentAdded();
            arrivals.onSent();
            if (lie == Lie.ACKNOWLEDGE_ARBITRARY_SHARDS) {
                arrivals.onArrived(random.nextLong(shard + 1));
                arrivals.onUncertain(random.nextLong(shard + 1));
            } else if (lie.acknowledges(shard, nowMs, random)) {
                arrivals.onArrived(shard);
            }
            arrivals.onAcknowledgementsRead();
            if (shard % DATA_SHARDS == DATA_SHARDS - 1) {
                int next = adaptive.parityOfNextGroup(startMs + nowMs);
                assertThat(next).as("seed %d", seed).isBetween(1, MAX_PARITY);
                if (next != parity) {
                    changes.add(nowMs);
                }
                parity = next;
            }
            while (!changes.isEmpty() && nowMs - changes.peek() >= MINUTE_MS) {
                changes.poll();
            }
            worst = Math.max(worst, changes.size());
        }
        return worst;
    }
}

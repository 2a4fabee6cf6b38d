package io.kcp.core.fec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.kcp.test.AllocationMeter;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Tag("jdk")
class ArrivalMonitorTest {

    private static final int GROUPS = 5_000;

    private int dataShards = 10;
    private int parityShards = 3;
    private int shardsPerAcknowledgement = 1;
    private BurstLoss loss = new BurstLoss(dataShards);
    private ArrivalMonitor monitor = new ArrivalMonitor(dataShards, loss);

    private void groupsOf(int data, int parity) {
        dataShards = data;
        parityShards = parity;
        loss = new BurstLoss(data);
        monitor = new ArrivalMonitor(data, loss);
    }

    /** Sends groups over a path with bursts of losses to a receiver that recovers each group that it can recover. */
    private void send(double share, double meanBurst, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        double lossAfterArrival = share / (1 - share) / meanBurst;
        boolean lost = false;
        int sinceAcknowledgement = 0;
        for (int group = 0; group < GROUPS; group++) {
            long first = 0;
            int lostInGroup = 0;
            for (int position = 0; position < dataShards + parityShards; position++) {
                lost = random.nextDouble() < (lost ? 1 - 1 / meanBurst : lossAfterArrival);
                lostInGroup += lost ? 1 : 0;
                if (position < dataShards) {
                    long shard = monitor.onSegmentAdded();
                    first = position == 0 ? shard : first;
                    monitor.onSent();
                    if (!lost) {
                        monitor.onArrived(shard);
                    }
                }
                if (position == dataShards + parityShards - 1 && lostInGroup <= parityShards) {
                    for (int recovered = 0; recovered < dataShards; recovered++) {
                        monitor.onArrived(first + recovered);
                    }
                }
                if (++sinceAcknowledgement >= shardsPerAcknowledgement) {
                    sinceAcknowledgement = 0;
                    monitor.onAcknowledgementsRead();
                }
            }
        }
        loss.update();
    }

    @ParameterizedTest
    @CsvSource({"0.0, 1", "0.02, 1.02", "0.05, 1.053", "0.1, 1.11", "0.02, 3", "0.02, 5", "0.05, 5"})
    void lossAndBurstsAreMeasuredDespiteRecovery(double share, double meanBurst) {
        double sumOfLoss = 0;
        double sumOfBursts = 0;
        for (int seed = 1; seed <= 20; seed++) {
            groupsOf(10, 6);
            send(share, meanBurst, seed);
            assertThat(loss.isKnown()).isTrue();
            sumOfLoss += loss.loss() / 20;
            sumOfBursts += loss.meanBurst() / 20;
        }
        assertThat(sumOfLoss).isCloseTo(share, within(0.25 * share));
        assertThat(sumOfBursts).isCloseTo(meanBurst, within(0.25 * meanBurst));
    }

    /** A receiver that acknowledges only every 10 to 40 ms may recover whole groups before it acknowledges their shards. */
    @ParameterizedTest
    @CsvSource({"7", "20", "100"})
    void lossIsMeasuredWithFewAcknowledgements(int shards) {
        double sum = 0;
        for (int seed = 1; seed <= 20; seed++) {
            groupsOf(10, 3);
            shardsPerAcknowledgement = shards;
            send(0.05, 1.053, seed);
            sum += loss.loss() / 20;
        }
        assertThat(sum).isCloseTo(0.05, within(0.0125));
    }

    @Test
    void smallGroupsAreMeasured() {
        groupsOf(3, 2);
        send(0.05, 1.053, 1);
        assertThat(loss.loss()).isCloseTo(0.05, within(0.02));
    }

    @Test
    void shardThatArrivesLateIsNotLost() {
        for (int group = 0; group < 1_000; group++) {
            long first = 0;
            for (int position = 0; position < 10; position++) {
                long shard = monitor.onSegmentAdded();
                monitor.onSent();
                first = position == 0 ? shard : first;
            }
            for (int position : new int[] {0, 2, 3, 1, 4, 6, 5, 7, 8, 9}) {
                monitor.onArrived(first + position);
                monitor.onAcknowledgementsRead();
            }
        }
        loss.update();
        assertThat(loss.isKnown()).isTrue();
        assertThat(loss.loss()).isZero();
    }

    @Test
    void shardsWithoutSegmentsAndUncertainShardsAreNotLost() {
        for (int group = 0; group < 1_000; group++) {
            for (int position = 0; position < 10; position++) {
                if (position % 3 != 1) {
                    long shard = monitor.onSegmentAdded();
                    if (position % 3 == 2) {
                        monitor.onUncertain(shard);
                    } else {
                        monitor.onArrived(shard);
                    }
                }
                monitor.onSent();
                monitor.onAcknowledgementsRead();
            }
        }
        loss.update();
        assertThat(loss.isKnown()).isTrue();
        assertThat(loss.loss()).isZero();
    }

    @Test
    void abandonedGroupsKeepTheNumberingAligned() {
        monitor.onSent();
        monitor.onGroupAbandoned();
        assertThat(monitor.onSegmentAdded()).isEqualTo(10);
        for (int i = 0; i < 9; i++) {
            monitor.onSent();
        }
        monitor.onGroupAbandoned();
        assertThat(monitor.onSegmentAdded()).isEqualTo(20);
    }

    @Test
    void groupsFarBehindTheNewestShardAreIgnored() {
        long[] shards = new long[100_000];
        for (int i = 0; i < shards.length; i++) {
            shards[i] = monitor.onSegmentAdded();
            monitor.onSent();
        }
        for (int i = 0; i < 70_000; i += 2) {
            monitor.onArrived(shards[i]);
            monitor.onAcknowledgementsRead();
        }
        loss.update();
        assertThat(loss.isKnown()).isFalse();
    }

    @Test
    void nothingIsAllocated() {
        FecConfig config = FecConfig.of(new FecShape(10, 3)).adaptive(1, 6);
        AdaptiveParity parity = new AdaptiveParity(config, loss);
        long bytes = AllocationMeter.medianBytes(meter -> meter.measure(() -> sendAndAcknowledge(parity, 50_000)));
        assertThat(loss.isKnown()).isTrue();
        assertThat(bytes).as("bytes per 50,000 shards").isLessThan(1_000);
    }

    private void sendAndAcknowledge(AdaptiveParity parity, int shards) {
        for (int i = 0; i < shards; i++) {
            long shard = monitor.onSegmentAdded();
            monitor.onSent();
            if (i % 21 != 0) {
                monitor.onArrived(shard);
            }
            monitor.onAcknowledgementsRead();
            if (i % 10 == 9) {
                parity.parityOfNextGroup(4 * i);
            }
        }
    }
}

package io.kcp.core.fec;

import io.kcp.core.ShardArrivals;
import java.util.Arrays;

/**
 * Observes which data shards are lost before FEC recovers them. Recovered shards are acknowledged like those that arrived, but not before
 * enough shards of their group have arrived. While the newest acknowledged shard is not the last data shard of its group, the earlier
 * shards of the group that are not acknowledged are therefore lost or late. The latest such state of each group is evaluated when a later
 * group is acknowledged. A shard that arrives late, but before this state, counts as arrived.
 *
 * <p>The loss of the last shards of a group is not observed, because parity follows them immediately. {@link BurstLoss} accounts for that.
 * Only the first burst of a group is evaluated. Until a shard is lost, {@code una} acknowledges all shards, even if ACKs are lost. After
 * that, a shard whose ACK is lost appears to be lost, so losses on the way back make the bursts appear slightly longer.
 */
final class ArrivalMonitor implements ShardArrivals {

    /** Minimum number of data shards in a group for which consecutive shards can be observed. */
    static final int MIN_DATA_SHARDS = 3;
    /** Maximum number of data shards in flight. A group is not evaluated if more shards have been sent after it. */
    private static final int MAX_IN_FLIGHT = 1 << 14;

    private final int dataShards;
    private final BurstLoss loss;
    private long nextShard;
    /** Ring buffer with one bit for each of the latest data shards, which is set if the shard contains data segments. */
    private final long[] withSegments = new long[MAX_IN_FLIGHT >> 6];
    private long latestWithSegments = -1;
    /** The group of the newest acknowledged shard, its acknowledged shards, and the position of the newest one. */
    private long group;
    private final long[] acknowledged;
    private int newestPosition = -1;
    /** The observed group, its acknowledged shards, and the position of the newest one, or -1 if no group is observed. */
    private long observedGroup;
    private final long[] observed;
    private int observedPosition = -1;

    ArrivalMonitor(int dataShards, BurstLoss loss) {
        this.dataShards = dataShards;
        this.loss = loss;
        acknowledged = new long[(dataShards + 63) >> 6];
        observed = new long[acknowledged.length];
    }

    /** Records that a data shard was sent. */
    void onSent() {
        nextShard++;
    }

    /** Records that the remaining data shards of a group will not be sent. */
    void onGroupAbandoned() {
        nextShard += dataShards - 1;
        nextShard -= nextShard % dataShards;
    }

    @Override
    public long onSegmentAdded() {
        if (latestWithSegments != nextShard) {
            if (nextShard - latestWithSegments > MAX_IN_FLIGHT) {
                Arrays.fill(withSegments, 0);
            } else {
                for (long shard = latestWithSegments + 1; shard < nextShard; shard++) {
                    clear(withSegments, indexOf(shard));
                }
            }
            set(withSegments, indexOf(nextShard));
            latestWithSegments = nextShard;
        }
        return nextShard;
    }

    @Override
    public void onArrived(long shard) {
        long groupOfShard = shard / dataShards;
        if (groupOfShard > group) {
            group = groupOfShard;
            Arrays.fill(acknowledged, 0);
            newestPosition = -1;
        }
        if (groupOfShard == group) {
            int position = (int) (shard % dataShards);
            set(acknowledged, position);
            newestPosition = Math.max(newestPosition, position);
        }
    }

    @Override
    public void onUncertain(long shard) {
        if (nextShard - shard < MAX_IN_FLIGHT) {
            clear(withSegments, indexOf(shard));
        }
    }

    @Override
    public void onAcknowledgementsRead() {
        if (observedPosition >= 0 && observedGroup != group) {
            evaluate();
            observedPosition = -1;
        }
        if (newestPosition >= 0 && newestPosition < dataShards - 1) {
            System.arraycopy(acknowledged, 0, observed, 0, observed.length);
            observedGroup = group;
            observedPosition = newestPosition;
        }
    }

    private void evaluate() {
        long first = observedGroup * dataShards;
        if (nextShard - first >= MAX_IN_FLIGHT) {
            return;
        }
        int shards = 0;
        int burst = 0;
        int shardsUntilEnd = 0;
        for (int position = 0; position <= observedPosition; position++) {
            if (!isSet(withSegments, indexOf(first + position))) {
                continue;
            }
            shards++;
            if (shardsUntilEnd > 0) {
                continue;
            }
            if (!isSet(observed, position)) {
                burst++;
            } else if (burst > 0) {
                shardsUntilEnd = shards;
            }
        }
        if (shardsUntilEnd > 0) {
            loss.add(shardsUntilEnd - 1, 1);
            loss.addBurst(burst, shards - shardsUntilEnd + burst);
        } else {
            loss.add(Math.max(shards - 1, 0), 0);
        }
    }

    private static int indexOf(long shard) {
        return (int) shard & MAX_IN_FLIGHT - 1;
    }

    private static void set(long[] bits, int index) {
        bits[index >> 6] |= 1L << index;
    }

    private static void clear(long[] bits, int index) {
        bits[index >> 6] &= ~(1L << index);
    }

    private static boolean isSet(long[] bits, int index) {
        return (bits[index >> 6] & 1L << index) != 0;
    }
}

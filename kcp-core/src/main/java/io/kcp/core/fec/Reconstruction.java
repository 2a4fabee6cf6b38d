package io.kcp.core.fec;

import io.kcp.core.internal.reedsolomon.CodingRows;
import io.kcp.core.internal.reedsolomon.ReedSolomon;
import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Recovers the missing data shards of a group, validates them, and stores them until the next shard is processed. */
final class Reconstruction {

    /** Cost of computing one coefficient, as a number of multiply-and-add operations on words. */
    private static final int COEFFICIENT_WORK = 64;
    private static final int FIRST_WORD_WORK = 8;
    /**
     * Maximum number of surplus parity shards that are compared with the data. If all of them are forged, the group cannot be recovered
     * anyway.
     */
    private static final int MAX_PARITY_CHECKED = 4;

    private final int conv;
    private final ShardPool pool;
    private long[] @Nullable [] slabs = new long[0][];
    private int[] lengths = new int[0];
    private int count;
    private long work;
    private @Nullable CodingRows used;
    private long[] @Nullable [] data = new long[0][];

    /** The result of comparing surplus shards, which recovery did not need, with values computed from the other shards. */
    enum Agreement {
        /** At least one surplus shard equals the computed value. */
        YES,
        /** There are surplus shards, but none of them equals the computed value. */
        NO,
        /** There is no surplus shard to compare. */
        UNKNOWN
    }

    Reconstruction(int conv, ShardPool pool) {
        this.conv = conv;
        this.pool = pool;
    }

    void shape(FecShape shape) {
        release();
        int most = Math.min(shape.dataShards(), shape.parityShards());
        slabs = new long[most][];
        lengths = new int[most];
        data = new long[shape.dataShards()][];
    }

    /** Returns the cost of one coefficient: computing it, checking the first word of a shard, and multiplying a whole shard. */
    static long workOfCoefficient(int shardBytes) {
        return (long) SlabPool.wordsOf(shardBytes) + COEFFICIENT_WORK + FIRST_WORD_WORK;
    }

    /** Returns the cost of decoding since the previous call, as a number of multiply-and-add operations on words. */
    long takeWork() {
        long done = work;
        work = 0;
        return done;
    }

    int count() {
        return count;
    }

    /** Returns the length of a recovered KCP datagram. */
    int bytes(int index) {
        return lengths[Objects.checkIndex(index, count)] - FecHeader.SIZE_LENGTH;
    }

    void write(int index, ByteBuf out) {
        long[] slab = Objects.requireNonNull(slabs[Objects.checkIndex(index, count)]);
        ShardBuffer buffer = pool.outgoing();
        buffer.fromSlab(slab, lengths[index]);
        buffer.copyOut(FecHeader.SIZE_LENGTH, lengths[index], out);
    }

    void release() {
        for (int i = 0; i < count; i++) {
            pool.slabs().release(Objects.requireNonNull(slabs[i]));
            slabs[i] = null;
        }
        count = 0;
    }

    /**
     * Recovers all missing data shards of a group.
     *
     * @param without a position whose shard is ignored, and is recovered as well if it is data; -1 for none
     * @return {@code true} if all recovered shards are valid; otherwise no recovered shard is stored
     */
    boolean attempt(ReedSolomon code, ShardGroup group, int without, FecCounters counters) {
        long computedBefore = code.coefficientsComputed();
        CodingRows rows = code.rows(group.slabs(), without);
        work += (code.coefficientsComputed() - computedBefore) * COEFFICIENT_WORK;
        used = rows;
        if (rows == null || rows.count() > slabs.length) {
            return false;
        }
        long[][] sources = code.gather(rows, group.slabs());
        for (int column = 0; column < sources.length; column++) {
            group.pad(rows.known(column));
        }
        if (isInvalid(rows, sources, group.longest()) || !recover(rows, sources, group.longest())) {
            counters.failedReconstructions++;
            return false;
        }
        return true;
    }

    /**
     * Compares the surplus parity of a group with its data, including the data just recovered.
     *
     * @param without a position that is not compared, or -1 for none
     */
    Agreement agrees(ReedSolomon code, ShardGroup group, int without) {
        Agreement agreement = Agreement.UNKNOWN;
        int dataShards = code.dataShards();
        int checked = 0;
        for (int position = dataShards; position < group.size() && checked < MAX_PARITY_CHECKED; position++) {
            if (group.contains(position) && position != without && !isUsed(position)) {
                checked++;
                if (agreement == Agreement.UNKNOWN) {
                    gatherData(group);
                    agreement = Agreement.NO;
                }
                if (isParity(code, group, position)) {
                    agreement = Agreement.YES;
                    break;
                }
            }
        }
        Arrays.fill(data, null);
        return agreement;
    }

    private boolean isUsed(int position) {
        if (count == 0 || used == null) {
            return false;
        }
        for (int column = 0; column < data.length; column++) {
            if (used.known(column) == position) {
                return true;
            }
        }
        return false;
    }

    private void gatherData(ShardGroup group) {
        for (int position = 0; position < data.length; position++) {
            if (group.contains(position)) {
                group.pad(position);
                data[position] = group.slabs()[position];
            }
        }
        for (int row = 0; row < count && used != null; row++) {
            data[used.wanted(row)] = slabs[row];
        }
    }

    @SuppressWarnings("NullAway") // gatherData fills the array
    private boolean isParity(ReedSolomon code, ShardGroup group, int position) {
        long[] computed = pool.slabs().acquire();
        group.pad(position);
        int words = SlabPool.wordsOf(group.longest());
        work += (long) data.length * words;
        code.encodeOne(position - data.length, data, computed, words);
        boolean equal = Arrays.equals(computed, 0, words, group.slabs()[position], 0, words);
        pool.slabs().release(computed);
        return equal;
    }

    /**
     * Returns {@code true} if the first word of any shard to recover is invalid, in which case the shards need not be computed completely.
     */
    private boolean isInvalid(CodingRows rows, long[][] sources, int longest) {
        for (int row = 0; row < rows.count(); row++) {
            work += (long) sources.length * FIRST_WORD_WORK;
            if (!ShardContent.mayStartValid(rows.firstWord(row, sources), longest, conv)) {
                return true;
            }
        }
        return false;
    }

    private boolean recover(CodingRows rows, long[][] sources, int longest) {
        int words = SlabPool.wordsOf(longest);
        ShardBuffer buffer = pool.outgoing();
        while (count < rows.count()) {
            int row = count++;
            long[] target = pool.slabs().acquire();
            slabs[row] = target;
            work += (long) sources.length * words;
            rows.applyRow(row, sources, target, words);
            buffer.fromSlab(target, longest);
            lengths[row] = ShardContent.validBytes(buffer.bytes(), buffer.shardAt(), longest, conv);
            if (lengths[row] < 0) {
                release();
                return false;
            }
        }
        return true;
    }
}

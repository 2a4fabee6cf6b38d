package io.kcp.core.fec;

import io.kcp.core.reedsolomon.CodingRows;
import io.kcp.core.reedsolomon.ReedSolomon;
import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Computes what is missing of a group, believes it only if it is sound, and holds it until the next time. */
final class Reconstruction {

    /** What a coefficient costs, in words multiplied and added: to compute it, and to use it for the first word alone. */
    private static final int MAKING_WORK = 64;
    private static final int FIRST_WORD_WORK = 8;
    /** Parity shards held against the data: if that many are forged, a group is lost anyhow. */
    private static final int MAX_PARITY_CHECKED = 4;

    private final int conv;
    private final ShardPool pool;
    private long[] @Nullable [] slabs = new long[0][];
    private int[] lengths = new int[0];
    private int count;
    private long work;
    private @Nullable CodingRows used;
    private long[] @Nullable [] data = new long[0][];

    /** Whether a shard more than needed is what the others say. */
    enum Agreement {
        /** One at least is. */
        YES,
        /** There is such a shard, and it is not. */
        NO,
        /** There is none. */
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

    /** Returns the work of one row of coefficients, by their number: made, tried and used. */
    static long workOfRow(int shardBytes) {
        return (long) ShardPool.wordsOf(shardBytes) + MAKING_WORK + FIRST_WORD_WORK;
    }

    /** Returns the work done since it was asked for last, in words multiplied and added. */
    long takeWork() {
        long done = work;
        work = 0;
        return done;
    }

    int count() {
        return count;
    }

    /** Returns the length of a KCP datagram. */
    int bytes(int index) {
        return lengths[Objects.checkIndex(index, count)] - FecHeader.SIZE_LENGTH;
    }

    void write(int index, ByteBuf out) {
        long[] slab = Objects.requireNonNull(slabs[Objects.checkIndex(index, count)]);
        pool.writeSlab(slab, FecHeader.SIZE_LENGTH, lengths[index], out);
    }

    void release() {
        for (int i = 0; i < count; i++) {
            pool.release(Objects.requireNonNull(slabs[i]));
            slabs[i] = null;
        }
        count = 0;
    }

    /**
     * Computes all data that is missing.
     *
     * @param without a position whose shard is not used, and computed too if it is data; -1 for none
     * @return whether it is all sound; otherwise nothing is held
     */
    boolean attempt(ReedSolomon code, ShardGroup group, int without, FecCounters counters) {
        long madeBefore = code.coefficientsComputed();
        CodingRows rows = code.rows(group.slabs(), without);
        work += (code.coefficientsComputed() - madeBefore) * MAKING_WORK;
        used = rows;
        if (rows == null || rows.count() > slabs.length) {
            return false;
        }
        long[][] sources = code.gather(rows, group.slabs());
        for (int column = 0; column < sources.length; column++) {
            group.pad(rows.known(column));
        }
        if (isHopeless(rows, sources, group.longest()) || !compute(rows, sources, group.longest())) {
            counters.failedReconstructions++;
            return false;
        }
        return true;
    }

    /**
     * Holds parity that was not needed against all data, what was just computed included.
     *
     * @param without a position that is not looked at, -1 for none
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

    @SuppressWarnings("NullAway") // gatherData has filled the array
    private boolean isParity(ReedSolomon code, ShardGroup group, int position) {
        long[] computed = pool.acquire();
        group.pad(position);
        int words = ShardPool.wordsOf(group.longest());
        work += (long) data.length * words;
        code.encodeOne(position - data.length, data, computed, words);
        boolean equal = Arrays.equals(computed, 0, words, group.slabs()[position], 0, words);
        pool.release(computed);
        return equal;
    }

    private boolean isHopeless(CodingRows rows, long[][] sources, int longest) {
        for (int row = 0; row < rows.count(); row++) {
            work += (long) sources.length * FIRST_WORD_WORK;
            if (!ShardContent.maySoundBegin(rows.firstWord(row, sources), longest, conv)) {
                return true;
            }
        }
        return false;
    }

    private boolean compute(CodingRows rows, long[][] sources, int longest) {
        int words = ShardPool.wordsOf(longest);
        while (count < rows.count()) {
            int row = count++;
            long[] target = pool.acquire();
            slabs[row] = target;
            work += (long) sources.length * words;
            rows.applyRow(row, sources, target, words);
            lengths[row] = ShardContent.soundBytes(pool.slabToBytes(target, longest), 0, longest, conv);
            if (lengths[row] < 0) {
                release();
                return false;
            }
        }
        return true;
    }
}

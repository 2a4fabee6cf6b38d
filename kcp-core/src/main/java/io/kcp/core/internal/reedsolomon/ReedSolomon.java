package io.kcp.core.internal.reedsolomon;

import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A Reed–Solomon code for fixed numbers of data and parity shards. It computes parity shards from data shards, and missing data shards from
 * the shards that are present. Shards are arrays of {@code long}s in any byte order, padded with zeros.
 *
 * <p>A bounded cache stores the coefficients for recent loss patterns, so that a cached pattern allocates no memory. Because of this cache,
 * the class is not thread-safe, and each event loop needs its own instance.
 */
public final class ReedSolomon {

    private static final int WORD_BITS = 6;
    private static final int PATTERN_WORDS = 4;
    private static final int MIN_PATTERNS = 16;
    private static final int MAX_PATTERNS = 512;
    private static final int MAX_COEFFICIENTS = 65_536;
    /** Number of cache slots, a power of two, in which a given loss pattern may be stored. */
    private static final int SLOTS_PER_PATTERN = 8;
    private static final long HASH_FACTOR = 0x9E3779B97F4A7C15L;

    private final int dataShards;
    private final int parityShards;
    private final CodingRows parityRows;
    private final @Nullable CodingRows[] patternRows;
    private final long[] patterns;
    private final long[] pattern = new long[PATTERN_WORDS];
    private final long[][] sources;
    private int nextReplaced;
    private long coefficientsComputed;

    /**
     * Creates a code and computes the coefficients of its parity shards.
     *
     * @param dataShards   number of data shards of a group, at least 1
     * @param parityShards number of parity shards of a group, at least 1; at most 255 shards altogether
     */
    public ReedSolomon(int dataShards, int parityShards) {
        this.dataShards = dataShards;
        this.parityShards = parityShards;
        int[] known = new int[dataShards];
        for (int position = 0; position < dataShards; position++) {
            known[position] = position;
        }
        int[] wanted = new int[parityShards];
        for (int row = 0; row < wanted.length; row++) {
            wanted[row] = dataShards + row;
        }
        parityRows = CodingRows.interpolating(known, wanted);
        int most = Math.min(MAX_PATTERNS, MAX_COEFFICIENTS / (dataShards * wanted.length));
        int slots = Integer.highestOneBit(Math.max(most, MIN_PATTERNS));
        patternRows = new CodingRows[slots];
        patterns = new long[slots * PATTERN_WORDS];
        sources = new long[dataShards][];
    }

    /**
     * Returns the number of data shards of a group.
     *
     * @return data shards
     */
    public int dataShards() {
        return dataShards;
    }

    /**
     * Returns the number of parity shards of a group.
     *
     * @return parity shards
     */
    public int parityShards() {
        return parityShards;
    }

    /**
     * Computes the parity shards of a group.
     *
     * @param shards the data shards, followed by the arrays that receive the parity shards
     * @param words  number of words of each array that are encoded
     */
    public void encode(long[][] shards, int words) {
        parityRows.apply(shards, shards, dataShards, words);
    }

    /**
     * Computes a single parity shard of a group.
     *
     * @param parity number of the parity shard, starting at 0
     * @param data   the data shards
     * @param target receives the parity shard
     * @param words  number of words of each array that are encoded
     */
    public void encodeOne(int parity, long[][] data, long[] target, int words) {
        parityRows.applyRow(parity, data, target, words);
    }

    /**
     * Computes the missing data shards of a group.
     *
     * @param shards    the shards of the group by position, null for a missing shard
     * @param recovered receives the missing data shards, in ascending order of their positions
     * @param words     number of words of each array that are decoded
     * @return the number of recovered data shards, or -1 if too few shards are present
     */
    public int reconstruct(long[] @Nullable [] shards, long[][] recovered, int words) {
        CodingRows rows = rows(shards, -1);
        if (rows == null) {
            return -1;
        }
        rows.apply(gather(rows, shards), recovered, 0, words);
        return rows.count();
    }

    /**
     * Returns the coefficients for computing the missing data shards of a group.
     *
     * @param shards  the shards of the group by position, null for a missing shard
     * @param without a position whose shard is treated as missing, or -1 for none
     * @return the coefficients, or null if too few shards are present
     */
    public @Nullable CodingRows rows(long[] @Nullable [] shards, int without) {
        Arrays.fill(pattern, 0);
        int missing = 0;
        for (int position = 0; position < dataShards; position++) {
            if (shards[position] != null && position != without) {
                pattern[position >>> WORD_BITS] |= 1L << position;
            } else {
                missing++;
            }
        }
        int lacking = missing;
        for (int position = dataShards; lacking > 0 && position < dataShards + parityShards; position++) {
            if (shards[position] != null && position != without) {
                pattern[position >>> WORD_BITS] |= 1L << position;
                lacking--;
            }
        }
        return lacking > 0 ? null : rowsOfPattern(missing);
    }

    /**
     * Returns the number of coefficients computed for loss patterns so far, which is a measure of the CPU cost.
     *
     * @return coefficients
     */
    public long coefficientsComputed() {
        return coefficientsComputed;
    }

    /**
     * Returns the known shards of a group in the order of the columns of a coefficient matrix.
     *
     * @param rows   the coefficients
     * @param shards the shards of the group by position
     * @return the shards, in an array that the next call reuses
     */
    public long[][] gather(CodingRows rows, long[] @Nullable [] shards) {
        for (int column = 0; column < sources.length; column++) {
            sources[column] = Objects.requireNonNull(shards[rows.known(column)]);
        }
        return sources;
    }

    private CodingRows rowsOfPattern(int missing) {
        int first = firstSlot();
        for (int i = 0; i < SLOTS_PER_PATTERN; i++) {
            CodingRows rows = patternRows[first + i];
            if (rows != null && holdsPattern(first + i)) {
                return rows;
            }
        }
        CodingRows rows = newRows(missing);
        coefficientsComputed += (long) missing * dataShards;
        int slot = first + (nextReplaced++ & SLOTS_PER_PATTERN - 1);
        patternRows[slot] = rows;
        System.arraycopy(pattern, 0, patterns, slot * PATTERN_WORDS, PATTERN_WORDS);
        return rows;
    }

    private int firstSlot() {
        long hash = 0;
        for (long word : pattern) {
            hash = (hash ^ word) * HASH_FACTOR;
            hash ^= hash >>> Integer.SIZE;
        }
        return (int) hash & patternRows.length - SLOTS_PER_PATTERN;
    }

    private boolean holdsPattern(int slot) {
        for (int word = 0; word < PATTERN_WORDS; word++) {
            if (patterns[slot * PATTERN_WORDS + word] != pattern[word]) {
                return false;
            }
        }
        return true;
    }

    private CodingRows newRows(int missing) {
        int[] known = new int[dataShards];
        int[] wanted = new int[missing];
        int row = 0;
        int parity = dataShards;
        for (int position = 0; position < dataShards; position++) {
            if (isInPattern(position)) {
                known[position] = position;
            } else {
                wanted[row++] = position;
                while (!isInPattern(parity)) {
                    parity++;
                }
                known[position] = parity++;
            }
        }
        return CodingRows.interpolating(known, wanted);
    }

    private boolean isInPattern(int position) {
        return (pattern[position >>> WORD_BITS] >>> position & 1) != 0;
    }
}

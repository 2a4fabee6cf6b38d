package io.kcp.core.fec;

import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The Reed–Solomon code of kcp-go over GF(2⁸), for one shape: parity of data, and data from whatever is there. Shards are
 * {@code long[]} in any byte order, bytes beyond a shard's end zero. Not thread safe: it keeps what it found out about
 * patterns of loss, within bounds; one per event loop. Nothing is allocated for a pattern that is known.
 */
public final class ReedSolomon {

    private static final int WORD_BITS = 6;
    private static final int PATTERN_WORDS = 4;
    private static final int MIN_PATTERNS = 16;
    private static final int MAX_PATTERNS = 512;
    private static final int MAX_COEFFICIENTS = 65_536;
    /** Places where a pattern may be kept; a power of two. */
    private static final int SLOTS_PER_PATTERN = 8;
    private static final long HASH_FACTOR = 0x9E3779B97F4A7C15L;

    private final FecShape shape;
    private final CodingRows parityRows;
    private final @Nullable CodingRows[] patternRows;
    private final long[] patterns;
    private final long[] pattern = new long[PATTERN_WORDS];
    private final long[][] sources;
    private int nextVictim;
    private long coefficientsMade;

    /**
     * Prepares coding for a shape.
     *
     * @param shape the shape
     */
    public ReedSolomon(FecShape shape) {
        this.shape = Objects.requireNonNull(shape, "shape");
        int dataShards = shape.dataShards();
        int[] known = new int[dataShards];
        for (int position = 0; position < dataShards; position++) {
            known[position] = position;
        }
        int[] wanted = new int[shape.parityShards()];
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
     * Returns the shape.
     *
     * @return data and parity shards
     */
    public FecShape shape() {
        return shape;
    }

    /**
     * Computes the parity of a group.
     *
     * @param shards first the data shards, then as many arrays that receive parity
     * @param words  how many words of each array are coded
     */
    public void encode(long[][] shards, int words) {
        parityRows.apply(shards, shards, shape.dataShards(), words);
    }

    /** Computes one parity shard, by its number among them. */
    void encodeOne(int parity, long[][] data, long[] target, int words) {
        parityRows.applyRow(parity, data, target, words);
    }

    /**
     * Computes the data shards that are missing.
     *
     * @param shards    the shards of a group by position, null where one is missing
     * @param recovered receives the missing data shards, in ascending position
     * @param words     how many words of each array are coded
     * @return how many were computed, -1 if too few shards are there
     */
    public int reconstruct(long[] @Nullable [] shards, long[][] recovered, int words) {
        CodingRows rows = rows(shards, -1);
        if (rows == null) {
            return -1;
        }
        rows.apply(gather(rows, shards), recovered, 0, words);
        return rows.count();
    }

    /** Returns how to compute missing data, as if the shard at one position (-1: none) were missing too; null if it cannot be. */
    @Nullable CodingRows rows(long[] @Nullable [] shards, int without) {
        int dataShards = shape.dataShards();
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
        for (int position = dataShards; lacking > 0 && position < shape.totalShards(); position++) {
            if (shards[position] != null && position != without) {
                pattern[position >>> WORD_BITS] |= 1L << position;
                lacking--;
            }
        }
        return lacking > 0 ? null : rowsOfPattern(missing);
    }

    /** Returns how many coefficients were computed for patterns of loss so far, which is dear. */
    long coefficientsMade() {
        return coefficientsMade;
    }

    /** Returns the shards in the order of the columns; the array is used again by the next call. */
    long[][] gather(CodingRows rows, long[] @Nullable [] shards) {
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
        coefficientsMade += (long) missing * shape.dataShards();
        int slot = first + (nextVictim++ & SLOTS_PER_PATTERN - 1);
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
        int dataShards = shape.dataShards();
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

package io.kcp.netty.internal.admission;

import org.jspecify.annotations.Nullable;

/**
 * A table of token buckets of fixed size. A new key replaces the key whose bucket is the fullest in its row, so a flood with many keys does
 * not displace a key that exceeds its rate.
 *
 * <p>This class is used on one event loop only. It allocates its table with the first key.
 */
final class BucketTable {

    static final int KEYS_PER_ROW = 4;

    private final TokenBucket bucket;
    private final int rows;
    private final long startNanos;
    private long @Nullable [] keys;
    private long[] fullAtNanos = {};

    /**
     * Creates an empty table.
     *
     * @param rows     the number of rows, a power of two
     * @param nowNanos the current time of the event loop
     */
    BucketTable(TokenBucket bucket, int rows, long nowNanos) {
        this.bucket = bucket;
        this.rows = rows;
        startNanos = nowNanos;
    }

    /**
     * Takes a token from the bucket of a key.
     *
     * @param hash selects the row; must depend on a secret, so that an attacker cannot choose keys that share a row
     * @return {@code false} if the bucket is empty
     */
    boolean take(long key, int hash, long nowNanos) {
        long now = nowNanos - startNanos;
        long[] present = keys;
        if (present == null) {
            present = new long[rows * KEYS_PER_ROW];
            fullAtNanos = new long[rows * KEYS_PER_ROW];
            keys = present;
        }
        int row = (hash & rows - 1) * KEYS_PER_ROW;
        int fullest = row;
        for (int i = row; i < row + KEYS_PER_ROW; i++) {
            if (present[i] == key) {
                long taken = bucket.take(fullAtNanos[i], now);
                if (taken == TokenBucket.EMPTY) {
                    return false;
                }
                fullAtNanos[i] = taken;
                return true;
            }
            if (fullAtNanos[i] < fullAtNanos[fullest]) {
                fullest = i;
            }
        }
        present[fullest] = key;
        fullAtNanos[fullest] = bucket.take(TokenBucket.FULL, now);
        return true;
    }

    /** Returns {@code true} if the bucket of a key is empty. */
    boolean isEmpty(long key, int hash, long nowNanos) {
        long[] present = keys;
        if (present == null) {
            return false;
        }
        int row = (hash & rows - 1) * KEYS_PER_ROW;
        for (int i = row; i < row + KEYS_PER_ROW; i++) {
            if (present[i] == key) {
                return bucket.take(fullAtNanos[i], nowNanos - startNanos) == TokenBucket.EMPTY;
            }
        }
        return false;
    }
}

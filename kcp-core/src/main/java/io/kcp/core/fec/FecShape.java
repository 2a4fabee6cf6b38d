package io.kcp.core.fec;

import org.jspecify.annotations.Nullable;

/**
 * How many data and parity shards a group has. Any {@code dataShards} of them are enough to have all data.
 *
 * @param dataShards   data shards of a group, at least 1
 * @param parityShards parity shards of a group, at least 1; together at most {@value #MAX_SHARDS}
 */
public record FecShape(int dataShards, int parityShards) {

    /** Most shards of a group: kcp-go detects no larger shape, though it sends one more. */
    public static final int MAX_SHARDS = 255;

    /**
     * Checks the numbers.
     *
     * @throws IllegalArgumentException if one of them is below 1 or their sum above {@value #MAX_SHARDS}
     */
    public FecShape {
        requirePositive(dataShards, "dataShards");
        requirePositive(parityShards, "parityShards");
        if (dataShards > MAX_SHARDS - parityShards) {
            throw new IllegalArgumentException("dataShards + parityShards: " + ((long) dataShards + parityShards)
                + " (expected: at most " + MAX_SHARDS + ')');
        }
    }

    /**
     * Reads the form that {@link #toString()} writes, for instance {@code 10:3}.
     *
     * @param text the data shards, a colon, the parity shards
     * @return the shape
     * @throws IllegalArgumentException if it is anything else
     */
    public static FecShape parse(String text) {
        int colon = text.indexOf(':');
        if (colon < 0) {
            throw malformed(text, null);
        }
        int dataShards;
        int parityShards;
        try {
            dataShards = Integer.parseInt(text.substring(0, colon).strip());
            parityShards = Integer.parseInt(text.substring(colon + 1).strip());
        } catch (NumberFormatException e) {
            throw malformed(text, e);
        }
        return new FecShape(dataShards, parityShards);
    }

    /**
     * Returns how many shards a group has in all.
     *
     * @return data and parity shards
     */
    public int totalShards() {
        return dataShards + parityShards;
    }

    /** Returns where seqids wrap, unsigned: the largest multiple of the group's size in 32 bits. */
    int paws() {
        int total = totalShards();
        return Integer.divideUnsigned(-1, total) * total;
    }

    /** {@code dataShards:parityShards}. */
    @Override
    public String toString() {
        return dataShards + ":" + parityShards;
    }

    private static void requirePositive(int value, String name) {
        if (value < 1) {
            throw new IllegalArgumentException(name + ": " + value + " (expected: at least 1)");
        }
    }

    private static IllegalArgumentException malformed(String text, @Nullable Throwable cause) {
        return new IllegalArgumentException("shape: " + text + " (expected: data and parity shards like 10:3)", cause);
    }
}

package io.kcp.core.fec;

import org.jspecify.annotations.Nullable;

/**
 * The shape of FEC groups, which consists of the numbers of data and parity shards in each group. Any {@code dataShards} shards of a group
 * are enough to recover all its data.
 *
 * @param dataShards   number of data shards in a group, at least 1
 * @param parityShards number of parity shards in a group, at least 1; the sum of both numbers is at most {@value #MAX_SHARDS}
 */
public record FecShape(int dataShards, int parityShards) {

    /** Maximum number of shards in a group. kcp-go can send 256, but does not detect shapes above 255. */
    public static final int MAX_SHARDS = 255;

    /**
     * Creates a shape.
     *
     * @throws IllegalArgumentException if one of the numbers is below 1 or their sum exceeds {@value #MAX_SHARDS}
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
     * Parses a shape in the format of {@link #toString()}, for example {@code 10:3}.
     *
     * @param text the data shards, a colon, and the parity shards
     * @return the shape
     * @throws IllegalArgumentException if the text has another format or a number is out of range
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
     * Returns the total number of shards of a group.
     *
     * @return data and parity shards
     */
    public int totalShards() {
        return dataShards + parityShards;
    }

    /** Returns the unsigned number at which seqids wrap, which is the largest multiple of the group size in 32 bits. */
    int paws() {
        int total = totalShards();
        return Integer.divideUnsigned(-1, total) * total;
    }

    /** Returns the shape as {@code dataShards:parityShards}. */
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

package io.kcp.core;

import java.util.SplittableRandom;

/**
 * What one side sends: so many bytes of a seeded content in writes of random size. Writer and reader derive the same
 * sizes from the seed, so the reader knows every message boundary.
 *
 * @param seed          seed of content and sizes
 * @param totalBytes    bytes in all
 * @param minWriteBytes smallest write; 0 puts empty messages in between
 * @param maxWriteBytes largest write
 */
public record TransferPlan(long seed, long totalBytes, int minWriteBytes, int maxWriteBytes) {

    private static final int DEFAULT_MAX_WRITE_BYTES = 8_000;

    /**
     * Plans writes of 1 to 8,000 bytes.
     *
     * @param seed       seed of content and sizes
     * @param totalBytes bytes in all
     * @return the plan
     */
    public static TransferPlan ofBytes(long seed, long totalBytes) {
        return new TransferPlan(seed, totalBytes, 1, DEFAULT_MAX_WRITE_BYTES);
    }

    /**
     * Plans writes of equal size.
     *
     * @param seed       seed of the content
     * @param count      number of writes
     * @param writeBytes size of each
     * @return the plan
     */
    public static TransferPlan ofMessages(long seed, int count, int writeBytes) {
        return new TransferPlan(seed, (long) count * writeBytes, writeBytes, writeBytes);
    }

    SeededContent content() {
        return new SeededContent(seed);
    }

    /** Starts the sequence of sizes. */
    Sizes sizes() {
        return new Sizes(this);
    }

    /** The sizes of one transfer, in order. */
    static final class Sizes {

        private final TransferPlan plan;
        private final SplittableRandom random;
        private long plannedBytes;

        private Sizes(TransferPlan plan) {
            this.plan = plan;
            random = new SplittableRandom(plan.seed);
        }

        boolean hasNext() {
            return plannedBytes < plan.totalBytes;
        }

        int next() {
            long left = plan.totalBytes - plannedBytes;
            int bytes = (int) Math.min(left, random.nextInt(plan.minWriteBytes, plan.maxWriteBytes + 1));
            plannedBytes += bytes;
            return bytes;
        }
    }
}

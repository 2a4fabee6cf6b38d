package io.kcp.testkit;

import java.util.SplittableRandom;

/**
 * Describes the data that one endpoint of a {@link KcpPair} sends. A seed determines the bytes and the sizes of the messages, so the
 * receiver can verify both.
 *
 * @param seed          the seed of bytes and sizes
 * @param totalBytes    the total number of bytes
 * @param minWriteBytes the size of the smallest message; 0 allows empty messages
 * @param maxWriteBytes the size of the largest message
 */
public record TransferPlan(long seed, long totalBytes, int minWriteBytes, int maxWriteBytes) {

    private static final int DEFAULT_MAX_WRITE_BYTES = 8_000;

    /**
     * Returns a plan for messages of 1 to 8,000 bytes.
     *
     * @param seed       the seed of bytes and sizes
     * @param totalBytes the total number of bytes
     * @return the plan
     */
    public static TransferPlan ofBytes(long seed, long totalBytes) {
        return new TransferPlan(seed, totalBytes, 1, DEFAULT_MAX_WRITE_BYTES);
    }

    /**
     * Returns a plan for messages of equal size.
     *
     * @param seed       the seed of the bytes
     * @param count      the number of messages
     * @param writeBytes the size of each message in bytes
     * @return the plan
     */
    public static TransferPlan ofMessages(long seed, int count, int writeBytes) {
        return new TransferPlan(seed, (long) count * writeBytes, writeBytes, writeBytes);
    }

    SeededContent content() {
        return new SeededContent(seed);
    }

    Sizes sizes() {
        return new Sizes(this);
    }

    /** The sizes of the messages of one transfer, in order. */
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

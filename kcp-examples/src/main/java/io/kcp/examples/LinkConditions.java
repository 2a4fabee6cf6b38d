package io.kcp.examples;

import io.kcp.testkit.LinkProfile;

/**
 * Loss, delay, jitter, reordering and duplication of one direction of a simulated network link.
 *
 * @param lossPercent      the percentage of datagrams that are lost
 * @param delayMs          the minimum one-way delay
 * @param jitterMs         the maximum additional delay, which changes slowly as in a queue and preserves the order of datagrams
 * @param reorderPercent   the percentage of datagrams that are delayed further, so that later datagrams arrive before them
 * @param duplicatePercent the percentage of datagrams that arrive twice
 */
record LinkConditions(double lossPercent, double delayMs, double jitterMs, double reorderPercent, double duplicatePercent) {

    static final LinkConditions PERFECT = new LinkConditions(0, 0, 0, 0, 0);

    private static final double PERCENT = 100;
    private static final long REORDERED_AT_LEAST_MS = 2;

    LinkConditions {
        percent("loss", lossPercent);
        percent("reorder", reorderPercent);
        percent("duplicate", duplicatePercent);
        milliseconds("delay", delayMs);
        milliseconds("jitter", jitterMs);
    }

    /** Returns the properties of one direction of a simulated link with these conditions. */
    LinkProfile profile() {
        return LinkProfile.builder().lossProbability(lossPercent / PERCENT).delayMs(delayMs).slowJitterMs(jitterMs)
            .reorder(reorderPercent / PERCENT, REORDERED_AT_LEAST_MS, REORDERED_AT_LEAST_MS + delayMs)
            .duplicateProbability(duplicatePercent / PERCENT).build();
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(plain(lossPercent)).append(" % loss, ").append(plain(delayMs));
        if (jitterMs > 0) {
            text.append(" to ").append(plain(delayMs + jitterMs));
        }
        text.append(" ms delay");
        if (reorderPercent > 0) {
            text.append(", ").append(plain(reorderPercent)).append(" % reordered");
        }
        if (duplicatePercent > 0) {
            text.append(", ").append(plain(duplicatePercent)).append(" % duplicated");
        }
        return text.toString();
    }

    static String plain(double value) {
        return value == Math.rint(value) ? Long.toString((long) value) : Double.toString(value);
    }

    private static void percent(String name, double value) {
        if (!(value >= 0 && value <= 100)) {
            throw new IllegalArgumentException(name + ": " + value + " (expected: 0 to 100 percent)");
        }
    }

    private static void milliseconds(String name, double value) {
        if (!(value >= 0 && value <= 60_000)) {
            throw new IllegalArgumentException(name + ": " + value + " (expected: 0 to 60000 ms)");
        }
    }
}

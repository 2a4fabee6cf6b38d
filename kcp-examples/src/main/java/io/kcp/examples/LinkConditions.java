package io.kcp.examples;

/**
 * How bad one direction of a link is.
 *
 * @param lossPercent      how many datagrams vanish
 * @param delayMs          how long each is on the way at least
 * @param jitterMs         how much longer it may take; wanders slowly, as a queue does, and keeps the order
 * @param reorderPercent   how many are held back so that later ones overtake them
 * @param duplicatePercent how many arrive twice
 */
record LinkConditions(double lossPercent, double delayMs, double jitterMs, double reorderPercent, double duplicatePercent) {

    static final LinkConditions PERFECT = new LinkConditions(0, 0, 0, 0, 0);

    LinkConditions {
        percent("loss", lossPercent);
        percent("reorder", reorderPercent);
        percent("duplicate", duplicatePercent);
        milliseconds("delay", delayMs);
        milliseconds("jitter", jitterMs);
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

package io.kcp.bench.experiment;

import java.util.Locale;

/**
 * Requirement of an experiment and its result.
 *
 * @param text what was required and measured
 */
record Requirement(String text, boolean reached) {

    /** Creates the requirement that a median is at most a limit. The median of a delay that most runs lack is infinite. */
    static Requirement atMost(Cell cell, String name, double value, double limit) {
        return new Requirement(String.format(Locale.ROOT, "%s, %s: %s %s (at most %s)", cell.group(), cell.contender(), name,
            format(value), format(limit)), value <= limit);
    }

    /** Returns a number with at most two digits after the point, and {@code never} if it is infinite. */
    static String format(double value) {
        if (Double.isInfinite(value)) {
            return "never";
        }
        return value == Math.rint(value) || Math.abs(value) >= 100 ? String.format(Locale.ROOT, "%.0f", value)
            : String.format(Locale.ROOT, "%.2f", value);
    }
}

package io.kcp.bench;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** A requirement of an {@link EventResult}. The component {@code reached} is null if the measured value is unknown. */
record Criterion(String name, double value, double limit, @Nullable Boolean reached) {

    /** Creates a requirement that is unknown if its value is. */
    static Criterion atMost(String name, double value, double limit) {
        return new Criterion(name, value, limit, Double.isNaN(value) ? null : value <= limit);
    }

    String text() {
        return String.format(Locale.ROOT, "%s %s (limit %s)", name, format(value), format(limit));
    }

    /** Returns a number with at most two digits after the point, {@code -} if it is unknown, and {@code never} if it is infinite. */
    static String format(double value) {
        if (Double.isNaN(value)) {
            return "-";
        }
        if (Double.isInfinite(value)) {
            return "never";
        }
        return value == Math.rint(value) || value >= 100 ? String.format(Locale.ROOT, "%.0f", value)
            : String.format(Locale.ROOT, "%.2f", value);
    }
}

package io.kcp.bench.results;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Formats numbers for tables and charts. */
final class Numbers {

    private static final int DIGITS = 3;
    private static final int MAX_DECIMALS = 2;
    private static final String UNKNOWN = "–";
    private static final String INFINITE = "∞";

    private Numbers() {
    }

    /**
     * Formats a number with three significant digits, but at most two decimals unless the number is smaller than that.
     *
     * @param decimals number of decimals to use instead, or null
     */
    static String format(double value, @Nullable Integer decimals) {
        if (!Double.isFinite(value)) {
            return Double.isNaN(value) ? UNKNOWN : INFINITE;
        }
        if (decimals != null) {
            return fixed(BigDecimal.valueOf(value), decimals);
        }
        if (value == 0) {
            return "0";
        }
        BigDecimal rounded = BigDecimal.valueOf(value).round(new MathContext(DIGITS, RoundingMode.HALF_UP));
        int integerDigits = rounded.precision() - rounded.scale();
        int needed = Math.max(0, Math.min(MAX_DECIMALS, DIGITS - integerDigits));
        BigDecimal shown = rounded.setScale(needed, RoundingMode.HALF_UP);
        return shown.signum() == 0 ? rounded.round(new MathContext(1, RoundingMode.HALF_UP)).toPlainString() : fixed(shown, needed);
    }

    private static String fixed(BigDecimal value, int decimals) {
        return String.format(Locale.ROOT, "%,." + decimals + "f", value);
    }
}

package io.kcp.testkit;

import io.kcp.testkit.VariantResults.Range;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A limit that a share of the runs may miss. The number of runs that miss it is judged for each variant, with {@link BinomialTail}. No run
 * may be worse than another, wider limit, because a few runs cannot show a small share.
 *
 * @param measurement the name of the measurement, with its unit
 * @param limit       the limit that a run should meet
 * @param isMaximum   {@code true} if values above the limit miss it, and {@code false} if values below the limit do
 * @param share       the share of the runs that may miss the limit
 * @param worst       the worst value that any run may have
 * @param known       the known miss whose share replaces the share of the scenario, or null. If the misses have become much rarer, the
 *                    entry is out of date.
 */
record ShareLimit(String measurement, double limit, boolean isMaximum, double share, double worst,
    @Nullable KnownMiss known) {

    private static final int SHOWN_SEEDS = 10;

    /** Creates the limit of a known miss. */
    ShareLimit(String measurement, double limit, boolean isMaximum, KnownMiss known) {
        this(measurement, limit, isMaximum, known.share(), known.worst(), known);
    }

    /**
     * Judges the runs of one variant.
     *
     * @param name the scenario and the variant
     * @return a row of a Markdown table, or an empty text if no run missed the limit
     * @throws AssertionError if too many runs missed the limit, or if so few missed it that a known miss is out of date
     */
    String judge(String name, VariantResults results) {
        Map<Long, Range> bySeed = results.bySeed(measurement);
        String described = name + ": " + measurement + (isMaximum ? " above " : " below ") + VariantResults.text(limit);
        if (bySeed.isEmpty()) {
            throw new AssertionError(described + ": no run recorded this measurement");
        }
        List<Long> missed = bySeed.entrySet().stream().filter(entry -> misses(entry.getValue())).map(Map.Entry::getKey).toList();
        long runs = bySeed.size();
        long most = BinomialTail.mostMisses(runs, share);
        String counted = described + " in " + missed.size() + " of " + runs + " runs";
        String percent = String.format(Locale.ROOT, "%.3g %%", 100 * share);
        if (missed.size() > most) {
            throw new AssertionError(counted + " (expected: at most " + most + " runs, the bound for a share of " + percent + "), seeds "
                + missed.subList(0, Math.min(SHOWN_SEEDS, missed.size())));
        }
        if (isWorse(worst(bySeed), worst)) {
            throw new AssertionError(counted + ", the worst of them " + VariantResults.text(worst(bySeed)) + " (expected: none worse than "
                + VariantResults.text(worst) + ')');
        }
        if (known != null && missed.size() < BinomialTail.fewestMisses(runs, share == 1 ? 1 : share / 2)) {
            throw new AssertionError(counted + ", clearly fewer than the known share of " + percent
                + ". Lower the share in KnownMisses, or remove the entry.");
        }
        return missed.isEmpty() ? "" : row(name, missed.size(), runs, bySeed);
    }

    private boolean misses(Range range) {
        return isWorse(isMaximum ? range.largest() : range.least(), limit);
    }

    private boolean isWorse(double value, double than) {
        return isMaximum ? value > than : value < than;
    }

    private double worst(Map<Long, Range> bySeed) {
        return isMaximum ? bySeed.values().stream().mapToDouble(Range::largest).max().orElseThrow()
            : bySeed.values().stream().mapToDouble(Range::least).min().orElseThrow();
    }

    private String row(String name, int misses, long runs, Map<Long, Range> bySeed) {
        return "| " + name + " | " + measurement + (isMaximum ? " ≤ " : " ≥ ") + VariantResults.text(limit) + " | " + misses + " of "
            + runs + " | " + VariantResults.text(worst(bySeed)) + " | " + (known == null ? "" : known.issue()) + " |";
    }
}

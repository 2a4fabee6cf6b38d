package io.kcp.testkit;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Runs one scenario with many seeds and with every {@link Variant} ({@link SeededRuns}). After each variant, one line is printed with the
 * smallest and the largest value of each measurement.
 *
 * <p>The system property {@code kcp.seeds} sets the number of seeds for the first variant. The other variants run with a tenth of these
 * seeds, or with the share that {@code kcp.variants.oneIn} sets.
 */
public final class Scenario {

    /** The divisor of the number of seeds for all variants of a scenario but the first. */
    private static final int FEWER_SEEDS = Integer.getInteger("kcp.variants.oneIn", 10);

    private final String name;
    private final Map<String, Range> measurements = new LinkedHashMap<>();
    private final List<Variant> variants = new ArrayList<>(Variant.selected());
    private Variant variant = Variant.PLAIN;
    private @Nullable SeededRun current;

    private Scenario(String name) {
        this.name = name;
    }

    /**
     * Creates a scenario.
     *
     * @param name the number in the scenario table and a description
     * @return the scenario
     */
    public static Scenario named(String name) {
        return new Scenario(name);
    }

    /**
     * Runs the scenario only with the given variants.
     *
     * @param some the variants
     * @return this
     */
    Scenario only(Variant... some) {
        variants.retainAll(List.of(some));
        return this;
    }

    /**
     * Runs the scenario with every seed and every variant.
     *
     * @param run one run
     */
    public void forEachSeed(SeededScenario run) {
        forSomeSeeds(1, run);
    }

    /**
     * Runs the scenario with some of the seeds, for runs that take long or hardly differ.
     *
     * @param oneIn the divisor of the number of seeds; at least one seed is run
     * @param run   one run
     */
    public void forSomeSeeds(int oneIn, SeededScenario run) {
        for (Variant each : variants) {
            variant = each;
            measurements.clear();
            SeededRuns runs = SeededRuns.named(name + each.text()).oneIn(oneIn * (each == variants.get(0) ? 1 : FEWER_SEEDS))
                .run(seeded -> {
                    current = seeded;
                    run.run(seeded.seed());
                });
            current = null;
            System.out.println(summary(runs));
            runs.assertNoneFailed();
        }
    }

    /**
     * Returns a builder for the pair of one run, with the layers of the current variant.
     *
     * @param seed the seed of the pair
     * @return the builder
     */
    KcpPairBuilder pair(long seed) {
        KcpPairBuilder pair = variant.apply(KcpPair.builder(seed));
        return current == null ? pair : pair.partOf(current);
    }

    Variant variant() {
        return variant;
    }

    /**
     * Records a measurement of this run.
     *
     * @param measurement name with its unit
     * @param value       measured value
     */
    public void record(String measurement, double value) {
        measurements.computeIfAbsent(measurement, key -> new Range()).add(value);
    }

    /**
     * Records a measurement of this run, and fails the run if the value is too high.
     *
     * @param measurement name with its unit
     * @param value       measured value
     * @param limit       maximum accepted value
     */
    public void assertAtMost(String measurement, double value, double limit) {
        record(measurement, value);
        if (value > limit) {
            throw new AssertionError(measurement + ": " + text(value) + " (expected: at most " + text(limit) + ')');
        }
    }

    /**
     * Records a measurement of this run, and fails the run if the value is too low.
     *
     * @param measurement name with its unit
     * @param value       measured value
     * @param limit       minimum accepted value
     */
    public void assertAtLeast(String measurement, double value, double limit) {
        record(measurement, value);
        if (value < limit) {
            throw new AssertionError(measurement + ": " + text(value) + " (expected: at least " + text(limit) + ')');
        }
    }

    /**
     * Fails if the value of a measurement was too high in any run.
     *
     * @param measurement name with its unit
     * @param limit       maximum accepted value
     */
    public void assertLargestAtMost(String measurement, double limit) {
        Range range = measurements.get(measurement);
        if (range == null || range.largest > limit) {
            throw new AssertionError(name + ": " + measurement + ": " + (range == null ? "none" : text(range.largest))
                + " (expected: at most " + text(limit) + ')');
        }
    }

    private String summary(SeededRuns runs) {
        StringBuilder line = new StringBuilder(name).append(variant.text()).append(':');
        measurements.forEach((measurement, range) -> line.append(' ').append(measurement).append(' ').append(text(range.least)).append("..")
            .append(text(range.largest)).append(','));
        return line.append(" (").append(runs.completed()).append(" seeds").append(runs.failed() == 0 ? "" : ", FAILED " + runs.failed())
            .append(')').toString().replace(",  (", " (").replace(", (", " (");
    }

    private static String text(double value) {
        return value == Math.rint(value) ? String.format(Locale.ROOT, "%.0f", value) : String.format(Locale.ROOT, "%.2f", value);
    }

    /** One run of a scenario. */
    @FunctionalInterface
    public interface SeededScenario {

        /**
         * Runs.
         *
         * @param seed seed of everything random
         * @throws Exception if it fails
         */
        void run(long seed) throws Exception;
    }

    private static final class Range {

        private double least = Double.POSITIVE_INFINITY;
        private double largest = Double.NEGATIVE_INFINITY;

        private void add(double value) {
            least = Math.min(least, value);
            largest = Math.max(largest, value);
        }
    }
}

package io.kcp.testkit;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Runs one scenario with many seeds. All seeds run even if some fail, and the failure then names the scenario and the failed seeds. At the
 * end, one line is printed with the smallest and the largest value of each measurement.
 *
 * <p>The system property {@code kcp.seeds} sets the number of seeds (default 50), and {@code kcp.seed} selects a single seed.
 */
public final class Scenario {

    private static final int DEFAULT_SEEDS = 50;
    private static final int SHOWN_FAILURES = 3;

    private final String name;
    private final Map<String, Range> measurements = new LinkedHashMap<>();
    private final List<Throwable> failures = new ArrayList<>();
    private final List<Long> failedSeeds = new ArrayList<>();

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
     * Runs the scenario with every seed.
     *
     * @param run one run
     */
    public void forEachSeed(SeededRun run) {
        forSomeSeeds(1, run);
    }

    /**
     * Runs the scenario with some of the seeds, for runs that take long or hardly differ.
     *
     * @param oneIn the divisor of the number of seeds; at least one seed is run
     * @param run   one run
     */
    public void forSomeSeeds(int oneIn, SeededRun run) {
        Long single = Long.getLong("kcp.seed");
        long count = single != null ? 1 : Math.max(1, Integer.getInteger("kcp.seeds", DEFAULT_SEEDS) / oneIn);
        long first = single != null ? single : 1;
        for (long seed = first; seed < first + count; seed++) {
            try {
                run.run(seed);
            } catch (Exception | AssertionError e) {
                failures.add(e);
                failedSeeds.add(seed);
            }
        }
        System.out.println(summary(count));
        if (!failures.isEmpty()) {
            throw failure(count);
        }
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

    private String summary(long count) {
        StringBuilder line = new StringBuilder(name).append(':');
        measurements.forEach((measurement, range) -> line.append(' ').append(measurement).append(' ').append(text(range.least)).append("..")
            .append(text(range.largest)).append(','));
        return line.append(" (").append(count).append(" seeds").append(failures.isEmpty() ? "" : ", FAILED " + failures.size())
            .append(')').toString().replace(",  (", " (").replace(", (", " (");
    }

    private AssertionError failure(long count) {
        StringBuilder text = new StringBuilder(name).append(": ").append(failures.size()).append(" of ").append(count)
            .append(" runs failed, seeds ").append(failedSeeds);
        for (int i = 0; i < Math.min(SHOWN_FAILURES, failures.size()); i++) {
            text.append("\nseed ").append(failedSeeds.get(i)).append(": ").append(reason(failures.get(i)));
        }
        return new AssertionError(text.toString(), failures.get(0));
    }

    private static String reason(Throwable failure) {
        // Exceptions of the tested code may have no message, so their type is reported, too.
        return failure.getClass() == AssertionError.class && failure.getMessage() != null ? failure.getMessage() : failure.toString();
    }

    private static String text(double value) {
        return value == Math.rint(value) ? String.format(Locale.ROOT, "%.0f", value) : String.format(Locale.ROOT, "%.2f", value);
    }

    /** One run of a scenario. */
    @FunctionalInterface
    public interface SeededRun {

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

package io.kcp.testkit;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * One scenario, run with many seeds. All seeds run even if some fail; the failure then names the scenario and the seeds.
 * In the end one line tells what was measured, from the least to the largest figure.
 *
 * <p>System property {@code kcp.seeds} is the number of seeds (50), {@code kcp.seed} picks a single one to look into.
 */
public final class Scenario {

    private static final int DEFAULT_SEEDS = 50;
    private static final int SHOWN_FAILURES = 3;

    private final String name;
    private final Map<String, Range> figures = new LinkedHashMap<>();
    private final List<Throwable> failures = new ArrayList<>();
    private final List<Long> failedSeeds = new ArrayList<>();

    private Scenario(String name) {
        this.name = name;
    }

    /**
     * Starts a scenario.
     *
     * @param name number in the scenario table and what it is
     * @return the scenario
     */
    public static Scenario named(String name) {
        return new Scenario(name);
    }

    /**
     * Runs with every seed.
     *
     * @param run one run
     */
    public void forEachSeed(SeededRun run) {
        forSomeSeeds(1, run);
    }

    /**
     * Runs with a part of the seeds, for runs that are long or hardly differ.
     *
     * @param oneIn which part: one in so many, at least one
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
     * Notes a figure of this run.
     *
     * @param figure name with its unit
     * @param value  what was measured
     */
    public void record(String figure, double value) {
        figures.computeIfAbsent(figure, key -> new Range()).add(value);
    }

    /**
     * Notes a figure of this run and fails it if the figure is too high.
     *
     * @param figure name with its unit
     * @param value  what was measured
     * @param limit  highest good value
     */
    public void assertAtMost(String figure, double value, double limit) {
        record(figure, value);
        if (value > limit) {
            throw new AssertionError(figure + ": " + text(value) + " (expected: at most " + text(limit) + ')');
        }
    }

    /**
     * Notes a figure of this run and fails it if the figure is too low.
     *
     * @param figure name with its unit
     * @param value  what was measured
     * @param limit  lowest good value
     */
    public void assertAtLeast(String figure, double value, double limit) {
        record(figure, value);
        if (value < limit) {
            throw new AssertionError(figure + ": " + text(value) + " (expected: at least " + text(limit) + ')');
        }
    }

    /**
     * Fails if a figure that the runs noted was too high in any of them.
     *
     * @param figure name with its unit
     * @param limit  highest good value
     */
    public void assertLargestAtMost(String figure, double limit) {
        Range range = figures.get(figure);
        if (range == null || range.largest > limit) {
            throw new AssertionError(name + ": " + figure + ": " + (range == null ? "none" : text(range.largest))
                + " (expected: at most " + text(limit) + ')');
        }
    }

    private String summary(long count) {
        StringBuilder line = new StringBuilder(name).append(':');
        figures.forEach((figure, range) -> line.append(' ').append(figure).append(' ').append(text(range.least)).append("..")
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
        // What the core itself throws has a type that tells, and maybe no message.
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

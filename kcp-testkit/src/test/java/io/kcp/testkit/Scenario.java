package io.kcp.testkit;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Runs one scenario with many seeds and with every {@link Variant} ({@link SeededRuns}). After each variant, one line is printed with the
 * smallest and the largest value of each measurement, and a row of a table for each limit that a part of the runs missed.
 *
 * <p>A limit of each run ({@link #assertAtMost}) fails the run. A limit for a share of the runs ({@link #allowShareAbove}) is judged for
 * each variant, with the bound of {@link BinomialTail}. An entry of {@link KnownMisses} replaces the share of either kind of limit.
 *
 * <p>The system property {@code kcp.seeds} sets the number of seeds for the first variant. The other variants run with a tenth of these
 * seeds, or with the share that {@code kcp.variants.oneIn} sets.
 */
public final class Scenario {

    /** The divisor of the number of seeds for all variants of a scenario but the first. */
    private static final int FEWER_SEEDS = Integer.getInteger("kcp.variants.oneIn", 10);

    private final String name;
    private final List<ShareLimit> declared = new ArrayList<>();
    private final List<Runnable> checks = new ArrayList<>();
    private final Map<String, ShareLimit> knownMisses = new LinkedHashMap<>();
    private final List<Variant> variants = new ArrayList<>(Variant.selected());
    private VariantResults results = new VariantResults();
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
     * Permits a share of the runs of each variant to be above a limit.
     *
     * @param measurement name of a recorded measurement, with its unit
     * @param limit       maximum value of the other runs
     * @param share       the share of the runs
     * @param worst       the worst value that any run may have
     * @return this
     */
    Scenario allowShareAbove(String measurement, double limit, double share, double worst) {
        declared.add(new ShareLimit(measurement, limit, true, share, worst, null));
        return this;
    }

    /**
     * Permits a share of the runs of each variant to be below a limit.
     *
     * @param measurement name of a recorded measurement, with its unit
     * @param limit       minimum value of the other runs
     * @param share       the share of the runs
     * @param worst       the worst value that any run may have
     * @return this
     */
    Scenario allowShareBelow(String measurement, double limit, double share, double worst) {
        declared.add(new ShareLimit(measurement, limit, false, share, worst, null));
        return this;
    }

    /**
     * Adds a check that is run after all runs of each variant. The check judges what the runs have collected, and clears it. It is not run
     * after a failure, because failed runs may have collected nothing.
     *
     * @param check the check
     * @return this
     */
    Scenario afterEachVariant(Runnable check) {
        checks.add(check);
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
     * Runs the scenario with some of the seeds, for runs that take long or hardly differ. All variants are run even if one fails.
     *
     * @param oneIn the divisor of the number of seeds; at least one seed is run
     * @param run   one run
     */
    public void forSomeSeeds(int oneIn, SeededScenario run) {
        List<AssertionError> failures = new ArrayList<>();
        for (Variant each : variants) {
            variant = each;
            results = new VariantResults();
            knownMisses.clear();
            SeededRuns runs = SeededRuns.named(name + each.text()).oneIn(oneIn * (each == variants.get(0) ? 1 : FEWER_SEEDS))
                .run(seeded -> {
                    current = seeded;
                    results.begin(seeded.seed());
                    run.run(seeded.seed());
                });
            current = null;
            System.out.println(name + variant.text() + ": " + results.text() + " (" + runs.completed() + " seeds"
                + (runs.failed() == 0 ? ")" : ", FAILED " + runs.failed() + ')'));
            collect(failures, runs::assertNoneFailed);
            knownMisses.values().forEach(limit -> collect(failures, () -> judge(limit)));
            declared.forEach(limit -> collect(failures, () -> judge(withKnownMiss(limit))));
            if (failures.isEmpty()) {
                checks.forEach(check -> collect(failures, check));
            }
        }
        if (!failures.isEmpty()) {
            AssertionError first = failures.get(0);
            failures.stream().skip(1).forEach(first::addSuppressed);
            throw first;
        }
    }

    private static void collect(List<AssertionError> failures, Runnable check) {
        try {
            check.run();
        } catch (AssertionError e) {
            failures.add(e);
        }
    }

    private void judge(ShareLimit limit) {
        String row = limit.judge(name + variant.text(), results);
        if (!row.isEmpty()) {
            System.out.println(row);
        }
    }

    private ShareLimit withKnownMiss(ShareLimit limit) {
        KnownMiss known = knownMiss(limit.measurement(), limit.limit());
        return known == null ? limit : new ShareLimit(limit.measurement(), limit.limit(), limit.isMaximum(), known);
    }

    /** Returns the known miss of a limit in the current variant, or null if there is none. */
    private @Nullable KnownMiss knownMiss(String measurement, double limit) {
        KnownMiss known = KnownMisses.find(name, variant, measurement);
        if (known != null && known.limit() != limit) {
            throw new AssertionError("KnownMisses: limit " + known.limit() + " of " + name + " (expected: " + limit + ')');
        }
        return known;
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
        results.record(measurement, value);
    }

    /**
     * Records a measurement of this run, and fails the run if the value is too high and this is not a known miss.
     *
     * @param measurement name with its unit
     * @param value       measured value
     * @param limit       maximum accepted value
     */
    public void assertAtMost(String measurement, double value, double limit) {
        record(measurement, value);
        if (!isKnownMiss(measurement, limit, true) && value > limit) {
            throw new AssertionError(measurement + ": " + VariantResults.text(value) + " (expected: at most " + VariantResults.text(limit)
                + ')');
        }
    }

    /**
     * Records a measurement of this run, and fails the run if the value is too low and this is not a known miss.
     *
     * @param measurement name with its unit
     * @param value       measured value
     * @param limit       minimum accepted value
     */
    public void assertAtLeast(String measurement, double value, double limit) {
        record(measurement, value);
        if (!isKnownMiss(measurement, limit, false) && value < limit) {
            throw new AssertionError(measurement + ": " + VariantResults.text(value) + " (expected: at least " + VariantResults.text(limit)
                + ')');
        }
    }

    /** Returns {@code true} if a limit of each run is a known miss. Its share is then judged after all runs of the variant. */
    private boolean isKnownMiss(String measurement, double limit, boolean isMaximum) {
        KnownMiss known = knownMiss(measurement, limit);
        if (known != null) {
            knownMisses.putIfAbsent(measurement, new ShareLimit(measurement, limit, isMaximum, known));
        }
        return known != null;
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
}

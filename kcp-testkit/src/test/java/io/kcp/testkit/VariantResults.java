package io.kcp.testkit;

import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The measurements of all runs of one variant of a scenario. Each seed counts once, although a failed run is repeated for its capture. If a
 * run records a measurement several times, its smallest and its largest value count.
 */
final class VariantResults {

    private final Map<String, Map<Long, Range>> measurements = new LinkedHashMap<>();
    private final Set<Long> seeds = new HashSet<>();
    private long seed;
    private boolean repeated;

    /** Starts the run of a seed. */
    void begin(long runSeed) {
        seed = runSeed;
        repeated = !seeds.add(runSeed);
    }

    /** Returns the number of seeds that have been run. */
    long runs() {
        return seeds.size();
    }

    /** Records a measurement of the current run, unless the run repeats an earlier one. */
    void record(String measurement, double value) {
        Map<Long, Range> bySeed = measurements.computeIfAbsent(measurement, key -> new LinkedHashMap<>());
        if (!repeated) {
            bySeed.computeIfAbsent(seed, key -> new Range()).add(value);
        }
    }

    /** Returns the ranges of a measurement by seed, or no range if it was not recorded. */
    Map<Long, Range> bySeed(String measurement) {
        return measurements.getOrDefault(measurement, Map.of());
    }

    /** Returns the smallest and the largest value of each measurement as text. */
    String text() {
        return measurements.entrySet().stream().filter(entry -> !entry.getValue().isEmpty()).map(entry -> {
            Range all = new Range();
            entry.getValue().values().forEach(all::add);
            return entry.getKey() + ' ' + text(all.least) + ".." + text(all.largest);
        }).collect(Collectors.joining(", "));
    }

    static String text(double value) {
        String format = value == Math.rint(value) ? "%.0f" : Math.abs(value) < 0.1 ? "%.4f" : "%.2f";
        return String.format(Locale.ROOT, format, value);
    }

    /** The smallest and the largest value of a measurement. */
    static final class Range {

        private double least = Double.POSITIVE_INFINITY;
        private double largest = Double.NEGATIVE_INFINITY;

        private void add(double value) {
            least = Math.min(least, value);
            largest = Math.max(largest, value);
        }

        private void add(Range other) {
            add(other.least);
            add(other.largest);
        }

        double least() {
            return least;
        }

        double largest() {
            return largest;
        }
    }
}

package io.kcp.testkit;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Runs a simulation with many seeds. All seeds run even if some fail. {@link #reproducible} also checks that the simulation depends only on
 * the seed.
 *
 * <p>If a simulation fails, it is repeated with the same seed, and its datagrams are written to pcap files. The error message names the
 * seeds, the files, and the Maven command that repeats the first failed run.
 *
 * <p>The system property {@code kcp.seeds} sets the number of seeds (default {@value #DEFAULT_SEEDS}), and {@code kcp.firstSeed} the first
 * of these consecutive seeds (default 1). {@code kcp.seed} selects a single seed. {@code kcp.captures} is the directory of the pcap files
 * (default {@code target/captures}). Instances are not thread-safe.
 */
public final class SeededRuns {

    /** The number of seeds if the system property {@code kcp.seeds} is not set. */
    public static final int DEFAULT_SEEDS = 10;

    private static final int SHOWN_FAILURES = 3;

    private final String name;
    private final List<Failure> failures = new ArrayList<>();
    private int oneIn = 1;
    private boolean reproducible;
    private long completed;

    private SeededRuns(String name) {
        this.name = name;
    }

    /**
     * Creates runs of a simulation.
     *
     * @param name a description of the simulation, from which the names of the pcap files are derived
     * @return the runs
     */
    public static SeededRuns named(String name) {
        return new SeededRuns(name);
    }

    /**
     * Divides the number of seeds, for simulations that take long or depend little on the seed. At least one seed is run.
     *
     * @param divisor the divisor of the number of seeds, at least 1
     * @return this
     */
    public SeededRuns oneIn(int divisor) {
        oneIn = divisor;
        return this;
    }

    /**
     * Runs the simulation twice with the first seed, and fails if the trace hashes of the two runs differ.
     *
     * @return this
     */
    public SeededRuns reproducible() {
        reproducible = true;
        return this;
    }

    /**
     * Returns the number of seeds that have been run.
     *
     * @return the number of seeds
     */
    public long completed() {
        return completed;
    }

    /**
     * Returns the number of seeds with which the simulation failed.
     *
     * @return the number of seeds
     */
    public int failed() {
        return failures.size();
    }

    /**
     * Runs the simulation with every seed.
     *
     * @param simulation the simulation
     * @return this
     */
    public SeededRuns run(Simulation simulation) {
        Long single = Long.getLong("kcp.seed");
        long count = single != null ? 1 : Math.max(1, Integer.getInteger("kcp.seeds", DEFAULT_SEEDS) / oneIn);
        long first = single != null ? single : Long.getLong("kcp.firstSeed", 1);
        for (long seed = first; seed < first + count; seed++) {
            completed++;
            try {
                long trace = trace(simulation, seed);
                if (reproducible && seed == first && trace(simulation, seed) != trace) {
                    throw new AssertionError("a second run with the same seed has another trace hash");
                }
            } catch (Exception | AssertionError e) {
                failures.add(new Failure(seed, e, capture(simulation, seed)));
            }
        }
        return this;
    }

    private static long trace(Simulation simulation, long seed) throws Exception {
        SeededRun run = new SeededRun(seed, null, "");
        simulation.run(run);
        return run.traceHash();
    }

    /** Repeats a failed run and writes its datagrams to files. Returns a description of the result. */
    private String capture(Simulation simulation, long seed) {
        if (failures.size() >= SHOWN_FAILURES) {
            return "";
        }
        SeededRun run = new SeededRun(seed, Path.of(System.getProperty("kcp.captures", "target/captures")), fileName(name));
        String outcome = " (the repeated run did not fail)";
        try {
            simulation.run(run);
        } catch (Exception | AssertionError e) {
            outcome = "";
        }
        return "pcap: " + run.close() + outcome;
    }

    static String fileName(String name) {
        String plain = name.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9.]+", "-").replaceAll("^-|-$", "");
        return plain.length() <= 80 ? plain : plain.substring(0, 80);
    }

    /**
     * Fails if a run failed.
     *
     * @throws AssertionError if a run failed
     */
    public void assertNoneFailed() {
        if (failures.isEmpty()) {
            return;
        }
        StringBuilder text = new StringBuilder(name).append(": ").append(failures.size()).append(" of ").append(completed)
            .append(" runs failed, seeds ").append(failures.stream().map(Failure::seed).toList());
        for (Failure failure : failures.subList(0, Math.min(SHOWN_FAILURES, failures.size()))) {
            text.append("\nseed ").append(failure.seed).append(": ").append(reason(failure.cause)).append("\n  ").append(failure.capture);
        }
        text.append("\nRun again: mvn test -am -pl ").append(module()).append(" -Dsurefire.failIfNoSpecifiedTests=false -Dtest=")
            .append(callingTest()).append(" -Dkcp.seed=").append(failures.get(0).seed);
        throw new AssertionError(text.toString(), failures.get(0).cause);
    }

    private static String reason(Throwable failure) {
        // Exceptions of the tested code may have no message, so their type is reported, too.
        return failure.getClass() == AssertionError.class && failure.getMessage() != null ? failure.getMessage() : failure.toString();
    }

    private static String module() {
        return String.valueOf(Path.of("").toAbsolutePath().getFileName());
    }

    private static String callingTest() {
        return StackWalker.getInstance().walk(frames -> frames.filter(frame -> frame.getClassName().endsWith("Test")).reduce((a, b) -> b)
            .map(frame -> {
                String type = frame.getClassName().substring(frame.getClassName().lastIndexOf('.') + 1);
                return frame.getMethodName().startsWith("lambda$") ? type : type + '#' + frame.getMethodName();
            }).orElse("TEST"));
    }

    /** A simulation whose random decisions depend only on the seed. */
    @FunctionalInterface
    public interface Simulation {

        /**
         * Runs the simulation.
         *
         * @param run the seed, and the object that collects trace hashes and captured datagrams
         * @throws Exception if the simulation fails
         */
        void run(SeededRun run) throws Exception;
    }

    private record Failure(long seed, Throwable cause, String capture) {
    }
}

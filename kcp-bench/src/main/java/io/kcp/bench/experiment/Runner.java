package io.kcp.bench.experiment;

import io.kcp.bench.results.ResultFile;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.SplittableRandom;

/**
 * Measures the cells of an experiment in rounds. Each round measures every cell once, in a new random order, so that neither a machine
 * that slows down nor a neighbor in the order favors one of them.
 */
final class Runner {

    /** Milliseconds per second for which processors may stall before a run counts as disturbed. */
    private static final double MAX_STALLED_MS_S = 4;

    private final Experiment experiment;
    private final RunOptions options;
    private final ResultFile.Builder file;
    private final PrintStream out;
    private final Random random;
    private final Results results = new Results();

    Runner(Experiment experiment, RunOptions options, ResultFile.Builder file, PrintStream out) {
        this.experiment = experiment;
        this.options = options;
        this.file = file;
        this.out = out;
        // Random alone gives similar orders for similar seeds.
        random = new Random(new SplittableRandom(options.seed).nextLong());
    }

    /** Measures the cells. A cell that fails is measured again in the next round only if it has succeeded before. */
    Results run(List<Cell> cells) throws IOException, InterruptedException {
        cells.forEach(results::add);
        out.println("seed of the order: " + options.seed);
        if (experiment.isGate()) {
            Map<String, List<Cell>> groups = new LinkedHashMap<>();
            cells.forEach(cell -> groups.computeIfAbsent(cell.group(), any -> new ArrayList<>()).add(cell));
            for (List<Cell> group : groups.values()) {
                runRounds(group);
            }
        } else {
            runRounds(cells);
        }
        return results;
    }

    private void runRounds(List<Cell> cells) throws IOException, InterruptedException {
        List<Cell> remaining = new ArrayList<>(cells);
        long startNs = System.nanoTime();
        int done = 0;
        for (int round = 1; round <= options.rounds && !remaining.isEmpty(); round++) {
            Collections.shuffle(remaining, random);
            for (Cell cell : List.copyOf(remaining)) {
                out.printf(Locale.ROOT, "%d/%d %s, %s: ", round, options.rounds, cell.group(), cell.contender());
                out.flush();
                measure(cell, round);
                done++;
            }
            remaining.removeIf(cell -> results.hasOnlyFailed(cell) || experiment.isDecided(cell.group(), results));
            int left = (options.rounds - round) * remaining.size();
            if (left > 0) {
                double minutes = (System.nanoTime() - startNs) / 6e10 / done * left;
                out.printf(Locale.ROOT, "%d runs done, at most %d left (about %.0f min)%n", done, left, Math.ceil(minutes));
            }
        }
    }

    private void measure(Cell cell, int round) throws IOException, InterruptedException {
        try {
            Results.Run run = leastDisturbed(cell, round);
            results.add(cell, run);
            Map<String, Double> values = new LinkedHashMap<>();
            run.values().forEach((metric, value) -> values.put(metric.key(), value));
            file.add(cell.labels(), round, run.stealPercent(), values);
            out.println(Summary.line(cell, run.values(), run.stealPercent()));
        } catch (IllegalStateException | IOException failure) {
            String message = String.valueOf(failure.getMessage());
            results.addFailure(cell, message);
            file.addFailure(cell.labels(), round, message);
            out.println("FAILED: " + message);
        }
        if (options.out != null) {
            file.write(options.out);
        }
    }

    /** Repeats a run that was disturbed, up to the permitted number of attempts, and returns the least disturbed one. */
    private Results.Run leastDisturbed(Cell cell, int round) throws IOException, InterruptedException {
        Results.Run best = runOnce(cell, round);
        for (int attempt = 1; attempt < options.attempts && disturbance(best) > 1; attempt++) {
            Results.Run next = runOnce(cell, round);
            best = disturbance(next) < disturbance(best) ? next : best;
        }
        return best;
    }

    private static Results.Run runOnce(Cell cell, int round) throws IOException, InterruptedException {
        StolenTime start = StolenTime.now();
        Map<Metric, Double> values = cell.measurement().run(round);
        return new Results.Run(round, start.percentUntilNow(), values);
    }

    /** Returns the stolen time or the time for which processors stalled, in relation to what is acceptable. */
    private static double disturbance(Results.Run run) {
        double stolen = Double.isNaN(run.stealPercent()) ? 0 : run.stealPercent() / StolenTime.MAX_PERCENT;
        double stalled = run.values().getOrDefault(Metric.STALLED_MS_S, 0.0) / MAX_STALLED_MS_S;
        return Math.max(stolen, stalled);
    }
}

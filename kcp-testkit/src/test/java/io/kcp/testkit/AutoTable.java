package io.kcp.testkit;

import io.kcp.core.CongestionAlgorithm;
import io.kcp.core.KcpConfig;
import io.kcp.core.Redundancy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * Prints a table that compares {@link KcpConfig#auto()} with fixed settings over links of several rates, round trips and losses: the
 * goodput of a bulk flow, and the delivery time of 60 messages of 100 bytes per second. The losses affect both directions.
 *
 * <p>Arguments are written as {@code name=value}: {@code seeds} (1), {@code seconds} of a bulk run (10), {@code messages} of a game run
 * (1200), {@code rates} in Mbit/s (1,10,100), {@code rtts} in milliseconds (10,50,300), {@code losses} (0,0.01,0.05), {@code out}, a file
 * that receives the table as well, {@code results}, a file of {@link RunResults}, and {@code bulk}, a part of the
 * names of the fixed settings for bulk transfers to compare with, such as BBR.
 */
public final class AutoTable {

    static final double MIN_GOODPUT_RATIO = 0.9;
    static final double MAX_DELAY_RATIO = 1.1;
    private static final int MIN_QUEUE_BYTES = 10 * 1_428;
    private static final int MESSAGE_BYTES = 100;
    private static final int MESSAGES_PER_SECOND = 60;
    private static final int SETTLE_SECONDS = 10;
    /** A run that excludes settings takes this part of the time of the other runs. */
    private static final int SCREENING_SHARE = 6;
    /** A setting is excluded if its result is this many times as bad as the best one. */
    private static final double SCREENING_MARGIN = 1.25;

    private AutoTable() {
    }

    /** A setting with the name under which the table shows it. */
    record Setting(String name, KcpConfig config) {
    }

    /** A link and the seed of its losses. */
    record Cell(long megabits, int rttMs, double loss) {

        Bottleneck link(long seed) {
            return new Bottleneck(seed, megabits * 1_000_000).queueBytes(Math.max(megabits * 125 * rttMs, MIN_QUEUE_BYTES)).loss(loss);
        }
    }

    /** The results of one run. */
    record Result(double goodputMbit, double p99Ms, long heldBytes) {
    }

    /** Returns the fixed settings for bulk transfers. */
    static List<Setting> bulkSettings() {
        List<Setting> settings = new ArrayList<>();
        for (CongestionAlgorithm algorithm : new CongestionAlgorithm[] {CongestionAlgorithm.NONE, CongestionAlgorithm.CUBIC,
            CongestionAlgorithm.BBR}) {
            for (int window : new int[] {128, 1_024, 16_384}) {
                settings.add(new Setting("fast3 " + algorithm + ' ' + window,
                    KcpConfig.fast3().toBuilder().congestionControl(algorithm).windows(window).build()));
            }
        }
        return settings;
    }

    /** Returns the fixed settings for small messages. */
    static List<Setting> gameSettings() {
        List<Setting> settings = new ArrayList<>();
        Map<String, KcpConfig> presets = Map.of("fast", KcpConfig.fast(), "fast2", KcpConfig.fast2(), "fast3", KcpConfig.fast3());
        presets.forEach((name, preset) -> {
            settings.add(new Setting(name, preset));
            settings.add(new Setting(name + " copies", preset.toBuilder().redundancy(Redundancy.ON).build()));
        });
        return settings;
    }

    static Result bulk(Cell cell, KcpConfig config, long seed, int seconds) {
        Flow.Options options = new Flow.Options();
        options.durationUs = seconds * 1_000_000L;
        options.acknowledgementLoss = cell.loss;
        SimulatedNetwork network = new SimulatedNetwork();
        Flow flow = new Flow(network, cell.link(seed), config, cell.rttMs * 1_000L, seed, options);
        network.runUntil(options.durationUs);
        return result(network, flow, flow.deliveredBytes() * 8.0 / 1e6 / seconds, Double.NaN);
    }

    static Result game(Cell cell, KcpConfig config, long seed, int messages) {
        Flow.Options options = new Flow.Options();
        options.bulk = false;
        options.messageBytes = MESSAGE_BYTES;
        long writeUs = messages * 1_000_000L / MESSAGES_PER_SECOND;
        options.durationUs = writeUs + SETTLE_SECONDS * 1_000_000L;
        options.acknowledgementLoss = cell.loss;
        SimulatedNetwork network = new SimulatedNetwork();
        Flow flow = new Flow(network, cell.link(seed), config, cell.rttMs * 1_000L, seed, options);
        for (int i = 0; i < messages; i++) {
            network.schedule(i * 1_000_000L / MESSAGES_PER_SECOND, flow::write);
        }
        network.runUntil(options.durationUs);
        if (flow.deliveredBytes() != (long) messages * MESSAGE_BYTES) {
            throw new AssertionError(flow.deliveredBytes() + " bytes delivered in " + cell);
        }
        return result(network, flow, Double.NaN, flow.deliveryMs(99));
    }

    private static Result result(SimulatedNetwork network, Flow flow, double goodputMbit, double p99Ms) {
        Result result = new Result(goodputMbit, p99Ms, flow.maxHeldBytes());
        flow.release();
        network.release();
        return result;
    }

    /** Prints the table. */
    public static void main(String[] args) throws IOException {
        Map<String, String> options = new HashMap<>();
        for (String arg : args) {
            options.put(arg.substring(0, arg.indexOf('=')), arg.substring(arg.indexOf('=') + 1));
        }
        int seeds = Integer.parseInt(options.getOrDefault("seeds", "1"));
        int seconds = Integer.parseInt(options.getOrDefault("seconds", "10"));
        int messages = Integer.parseInt(options.getOrDefault("messages", "1200"));
        RunResults known = new RunResults(options.get("results"));
        List<Setting> settings = bulkSettings().stream().filter(setting -> setting.name.contains(options.getOrDefault("bulk", "")))
            .toList();
        List<String> lines = new ArrayList<>();
        print(lines, "| Mbit/s | round trip, ms | loss, % | auto: goodput, Mbit/s | best fixed | ratio | auto: p99, ms | best fixed | ratio"
            + " | auto: memory, MiB | missed |");
        print(lines, "|---|---|---|---|---|---|---|---|---|---|---|");
        for (double megabits : numbers(options.getOrDefault("rates", "1,10,100"))) {
            for (double rttMs : numbers(options.getOrDefault("rtts", "10,50,300"))) {
                for (double loss : numbers(options.getOrDefault("losses", "0,0.01,0.05"))) {
                    Cell cell = new Cell((long) megabits, (int) rttMs, loss);
                    print(lines, row(cell, seeds, seconds, messages, known, settings));
                }
            }
        }
        if (options.containsKey("out")) {
            Files.write(Path.of(options.get("out")), lines);
        }
    }

    private static double[] numbers(String list) {
        return Arrays.stream(list.split(",")).mapToDouble(Double::parseDouble).toArray();
    }

    private static void print(List<String> lines, String line) {
        System.out.println(line);
        lines.add(line);
    }

    /** The runs of one kind in one cell. A run is repeated neither for the screening nor if the file of results contains it. */
    private static final class Runs {

        private final RunResults known;
        private final String name;
        private final int length;
        private final Run run;
        private final ToDoubleFunction<Result> cost;

        Runs(RunResults known, String name, int length, ToDoubleFunction<Result> cost, Run run) {
            this.known = known;
            this.name = name;
            this.length = length;
            this.cost = cost;
            this.run = run;
        }

        private Result result(Setting setting, long seed, int runLength) {
            double[] values = known.get(name + ", " + setting.name + ", " + runLength + ", seed " + seed, () -> {
                Result result = run.run(setting.config, seed, runLength);
                return new double[] {result.goodputMbit, result.p99Ms, result.heldBytes};
            });
            return new Result(values[0], values[1], (long) values[2]);
        }

        /** Returns the means of the goodput and of the delivery time, and the maximum of the memory. */
        Result mean(Setting setting, int seeds) {
            double goodput = 0;
            double p99 = 0;
            long heldBytes = 0;
            for (int seed = 1; seed <= seeds; seed++) {
                Result result = result(setting, seed, length);
                goodput += result.goodputMbit / seeds;
                p99 += result.p99Ms / seeds;
                heldBytes = Math.max(heldBytes, result.heldBytes);
            }
            return new Result(goodput, p99, heldBytes);
        }

        /** Returns the best setting. A short run per setting excludes the settings that are far from the best. */
        Setting best(List<Setting> settings, int seeds) {
            int screeningLength = length / SCREENING_SHARE;
            double[] screened = settings.stream().mapToDouble(setting -> cost.applyAsDouble(result(setting, 1, screeningLength))).toArray();
            double limit = Arrays.stream(screened).min().orElseThrow() * SCREENING_MARGIN;
            Setting best = settings.get(0);
            double lowest = Double.POSITIVE_INFINITY;
            for (int i = 0; i < screened.length; i++) {
                if (screened[i] <= limit) {
                    double value = cost.applyAsDouble(mean(settings.get(i), seeds));
                    if (value < lowest) {
                        lowest = value;
                        best = settings.get(i);
                    }
                }
            }
            return best;
        }
    }

    /** A run of one setting with one seed. The length is in seconds or messages. */
    private interface Run {
        Result run(KcpConfig config, long seed, int length);
    }

    private static String row(Cell cell, int seeds, int seconds, int messages, RunResults known, List<Setting> bulkSettings) {
        Runs bulk = new Runs(known, "bulk " + cell, seconds, result -> 1 / result.goodputMbit,
            (config, seed, length) -> bulk(cell, config, seed, length));
        Runs game = new Runs(known, "game " + cell, messages, Result::p99Ms, (config, seed, length) -> game(cell, config, seed, length));
        Setting auto = new Setting("auto", KcpConfig.auto());
        Result autoBulk = bulk.mean(auto, seeds);
        Result autoGame = game.mean(auto, seeds);
        Setting bestBulk = bulk.best(bulkSettings, seeds);
        Setting bestGame = game.best(gameSettings(), seeds);
        double goodput = bulk.mean(bestBulk, seeds).goodputMbit;
        double p99Ms = game.mean(bestGame, seeds).p99Ms;
        long heldBytes = Math.max(autoBulk.heldBytes, autoGame.heldBytes);
        String missed = (autoBulk.goodputMbit < MIN_GOODPUT_RATIO * goodput ? "GOODPUT " : "")
            + (autoGame.p99Ms > MAX_DELAY_RATIO * p99Ms ? "DELAY " : "")
            + (heldBytes > KcpConfig.auto().windowBudgetBytes() ? "MEMORY " : "");
        return String.format(Locale.ROOT, "| %d | %d | %.0f | %.2f | %.2f (%s) | %.2f | %.1f | %.1f (%s) | %.2f | %.2f | %s|",
            cell.megabits, cell.rttMs, cell.loss * 100, autoBulk.goodputMbit, goodput, bestBulk.name, autoBulk.goodputMbit / goodput,
            autoGame.p99Ms, p99Ms, bestGame.name, autoGame.p99Ms / p99Ms, heldBytes / (double) (1 << 20), missed);
    }
}

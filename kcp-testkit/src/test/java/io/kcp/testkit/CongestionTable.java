package io.kcp.testkit;

import io.kcp.core.CongestionAlgorithm;
import io.kcp.core.KcpConfig;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;

/**
 * Prints a table of one bulk flow over links of several rates, round trips and losses. Arguments: the algorithm, the number of seeds, the
 * duration of a run in seconds, and optionally comma-separated rates in Mbit/s, round trips in milliseconds and loss rates, a file of
 * {@link RunResults}, and the {@link PeerKind} of both ends.
 */
public final class CongestionTable {

    private static final int WINDOW = 16_384;
    private static final double HIGH_LOSS = 0.05;
    private static final double MIN_GOODPUT = 0.9;
    private static final double MIN_GOODPUT_AT_HIGH_LOSS = 0.85;
    static final double MAX_DROPS = 0.01;

    private CongestionTable() {
    }

    /** A link. */
    record Cell(long megabits, int rttMs, double loss, PeerKind peers) {

        double minGoodput() {
            return loss > HIGH_LOSS ? MIN_GOODPUT_AT_HIGH_LOSS : MIN_GOODPUT;
        }

        double maxQueueMs() {
            return Math.max(10, rttMs / 4.0);
        }

        int maxRampMs() {
            return Math.max(10 * rttMs, 300);
        }
    }

    /** The results of one run. */
    record Result(double goodputShare, double dropShare, double queueP95Ms, double rampMs) {

        static Result of(double[] values) {
            return new Result(values[0], values[1], values[2], values[3]);
        }

        double[] values() {
            return new double[] {goodputShare, dropShare, queueP95Ms, rampMs};
        }
    }

    static Result run(CongestionAlgorithm algorithm, Cell cell, long seed, int seconds) {
        int rttMs = cell.rttMs;
        double loss = cell.loss;
        SimulatedNetwork network = new SimulatedNetwork();
        long bitsPerSecond = cell.megabits * 1_000_000;
        Bottleneck link = new Bottleneck(seed, bitsPerSecond).queueBytes(bitsPerSecond / 8 * rttMs / 1_000).loss(loss);
        Flow.Options options = new Flow.Options();
        options.peers = cell.peers;
        options.durationUs = seconds * 1_000_000L;
        options.measureFromUs = Math.max(10L * rttMs, 300) * 1_000;
        options.binUs = Math.max(rttMs, 25) * 1_000;
        KcpConfig config = KcpConfig.fast3().toBuilder().congestionControl(algorithm).windows(WINDOW).build();
        Flow flow = new Flow(network, link, config, rttMs * 1_000L, seed, options);
        network.runUntil(options.durationUs);
        double goodput = flow.deliveredBytes() * 8.0 / seconds;
        double target = 0.8 * bitsPerSecond / 8 * (1 - loss) * options.binUs / 1e6;
        double rampMs = Double.POSITIVE_INFINITY;
        for (long us = 0; us + options.binUs <= options.durationUs; us += options.binUs) {
            if (flow.arrivedBytes(us, us + options.binUs) >= target) {
                rampMs = (us + options.binUs) / 1e3;
                break;
            }
        }
        Result result = new Result(goodput / (bitsPerSecond * (1 - loss)), flow.queueDropShare(), flow.queueDelayMs(95), rampMs);
        flow.release();
        network.release();
        return result;
    }

    /** Prints the table. */
    public static void main(String[] args) {
        CongestionAlgorithm algorithm = CongestionAlgorithm.valueOf(args[0]);
        int seeds = Integer.parseInt(args[1]);
        int seconds = Integer.parseInt(args[2]);
        double[] rates = numbers(args, 3, "20,100");
        double[] rtts = numbers(args, 4, "20,50,250");
        double[] losses = numbers(args, 5, "0,0.01,0.02,0.05,0.1");
        RunResults known = new RunResults(args.length > 6 ? args[6] : null);
        PeerKind peers = args.length > 7 ? PeerKind.valueOf(args[7]) : PeerKind.THIS_LIBRARY;
        List<Cell> cells = new ArrayList<>();
        for (double rate : rates) {
            for (double rtt : rtts) {
                for (double loss : losses) {
                    cells.add(new Cell((long) rate, (int) rtt, loss, peers));
                }
            }
        }
        Result[][] results = new Result[cells.size()][seeds];
        for (int seed = 1; seed <= seeds; seed++) {
            for (int i = 0; i < cells.size(); i++) {
                Cell cell = cells.get(i);
                long runSeed = seed;
                results[i][seed - 1] = Result.of(known.get(algorithm + " " + cell + ' ' + seconds + " s, seed " + seed,
                    () -> run(algorithm, cell, runSeed, seconds).values()));
            }
        }
        System.out.println("| Mbit/s | round trip, ms | loss, % | goodput, % (worst) | queue drops, % (worst)"
            + " | queue p95, ms (worst; limit) | 80 % after, ms (worst; limit) | seeds that miss |");
        System.out.println("|---|---|---|---|---|---|---|---|");
        for (int i = 0; i < cells.size(); i++) {
            System.out.println(row(cells.get(i), results[i]));
        }
    }

    private static double[] numbers(String[] args, int index, String defaults) {
        String list = args.length > index ? args[index] : defaults;
        return Arrays.stream(list.split(",")).mapToDouble(Double::parseDouble).toArray();
    }

    private static String row(Cell cell, Result[] results) {
        return String.format(Locale.ROOT, "| %d | %d | %.0f | %.1f (%.1f) | %.2f (%.2f) | %.1f (%.1f; %.1f) | %.0f (%.0f; %d) | %s |",
            cell.megabits, cell.rttMs, cell.loss * 100,
            100 * mean(results, Result::goodputShare), 100 * Arrays.stream(results).mapToDouble(Result::goodputShare).min().orElse(0),
            100 * mean(results, Result::dropShare), 100 * max(results, Result::dropShare),
            mean(results, Result::queueP95Ms), max(results, Result::queueP95Ms), cell.maxQueueMs(),
            mean(results, Result::rampMs), max(results, Result::rampMs), cell.maxRampMs(), misses(cell, results));
    }

    private static double mean(Result[] results, ToDoubleFunction<Result> value) {
        return Arrays.stream(results).mapToDouble(value).average().orElse(0);
    }

    private static double max(Result[] results, ToDoubleFunction<Result> value) {
        return Arrays.stream(results).mapToDouble(value).max().orElse(0);
    }

    /** Returns for each goal that some seeds miss how many of them do. */
    private static String misses(Cell cell, Result[] results) {
        List<String> misses = new ArrayList<>();
        addMisses(misses, "goodput", results, result -> result.goodputShare < cell.minGoodput());
        addMisses(misses, "drops", results, result -> result.dropShare > MAX_DROPS);
        addMisses(misses, "queue", results, result -> result.queueP95Ms > cell.maxQueueMs());
        addMisses(misses, "start", results, result -> result.rampMs > cell.maxRampMs());
        return String.join(", ", misses);
    }

    private static void addMisses(List<String> misses, String goal, Result[] results, Predicate<Result> missed) {
        long count = Arrays.stream(results).filter(missed).count();
        if (count > 0) {
            misses.add(goal + ' ' + count);
        }
    }
}

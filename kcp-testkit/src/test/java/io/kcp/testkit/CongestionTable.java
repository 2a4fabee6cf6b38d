package io.kcp.testkit;

import io.kcp.core.CongestionAlgorithm;
import io.kcp.core.KcpConfig;
import java.util.Arrays;
import java.util.Locale;

/**
 * Prints a table of one bulk flow over links of several rates, round trips and losses. Arguments: the algorithm, the number of seeds, the
 * duration of a run in seconds, and optionally comma-separated rates in Mbit/s, round trips in milliseconds and loss rates.
 */
public final class CongestionTable {

    private static final int WINDOW = 16_384;

    private CongestionTable() {
    }

    /** The results of one run. */
    record Result(double goodputShare, double dropShare, double queueP95Ms, double rampMs) {
    }

    static Result run(CongestionAlgorithm algorithm, long megabits, int rttMs, double loss, long seed, int seconds) {
        SimulatedNetwork network = new SimulatedNetwork();
        long bitsPerSecond = megabits * 1_000_000;
        Bottleneck link = new Bottleneck(seed, bitsPerSecond).queueBytes(bitsPerSecond / 8 * rttMs / 1_000).loss(loss);
        Flow.Options options = new Flow.Options();
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
        long[] rates = args.length > 3 ? Arrays.stream(args[3].split(",")).mapToLong(Long::parseLong).toArray()
            : new long[] {20, 100};
        int[] rtts = args.length > 4 ? Arrays.stream(args[4].split(",")).mapToInt(Integer::parseInt).toArray()
            : new int[] {20, 50, 250};
        double[] losses = args.length > 5 ? Arrays.stream(args[5].split(",")).mapToDouble(Double::parseDouble).toArray()
            : new double[] {0, 0.01, 0.02, 0.05, 0.1};
        System.out.println("| Mbit/s | round trip, ms | loss, % | goodput, % (worst) | queue drops, % (worst)"
            + " | queue p95, ms (worst; limit) | 80 % after, ms (worst; limit) | missed |");
        System.out.println("|---|---|---|---|---|---|---|---|");
        for (long rate : rates) {
            for (int rtt : rtts) {
                for (double loss : losses) {
                    Result[] results = new Result[seeds];
                    for (int seed = 0; seed < seeds; seed++) {
                        results[seed] = run(algorithm, rate, rtt, loss, seed + 1, seconds);
                    }
                    System.out.printf(Locale.ROOT,
                        "| %d | %d | %.0f | %.1f (%.1f) | %.2f (%.2f) | %.1f (%.1f; %.1f) | %.0f (%.0f; %d) | %s|%n", rate, rtt,
                        loss * 100,
                        100 * Arrays.stream(results).mapToDouble(Result::goodputShare).average().orElse(0),
                        100 * Arrays.stream(results).mapToDouble(Result::goodputShare).min().orElse(0),
                        100 * Arrays.stream(results).mapToDouble(Result::dropShare).average().orElse(0),
                        100 * Arrays.stream(results).mapToDouble(Result::dropShare).max().orElse(0),
                        Arrays.stream(results).mapToDouble(Result::queueP95Ms).average().orElse(0),
                        Arrays.stream(results).mapToDouble(Result::queueP95Ms).max().orElse(0), Math.max(10.0, rtt / 4.0),
                        Arrays.stream(results).mapToDouble(Result::rampMs).average().orElse(0),
                        Arrays.stream(results).mapToDouble(Result::rampMs).max().orElse(0), Math.max(10 * rtt, 300),
                        verdict(results, loss, rtt));
                }
            }
        }
    }

    private static String verdict(Result[] results, double loss, int rtt) {
        StringBuilder misses = new StringBuilder();
        if (Arrays.stream(results).anyMatch(r -> r.goodputShare < (loss > 0.05 ? 0.85 : 0.9))) {
            misses.append("GOODPUT ");
        }
        if (Arrays.stream(results).anyMatch(r -> r.dropShare > 0.01)) {
            misses.append("DROPS ");
        }
        if (Arrays.stream(results).anyMatch(r -> r.queueP95Ms > Math.max(10.0, rtt / 4.0))) {
            misses.append("QUEUE ");
        }
        if (Arrays.stream(results).anyMatch(r -> r.rampMs > Math.max(10 * rtt, 300))) {
            misses.append("RAMP ");
        }
        return misses.toString();
    }
}

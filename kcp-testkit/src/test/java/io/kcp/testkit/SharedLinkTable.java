package io.kcp.testkit;

import static io.kcp.testkit.SimulatedFlows.config;

import io.kcp.core.CongestionAlgorithm;
import io.kcp.core.KcpConfig;
import io.kcp.core.Redundancy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Prints a table of BBR on links with impairments other than independent losses, and on links that several flows share. Arguments: the
 * number of seeds, and optionally a part of the names of the scenarios ({@code all} for all scenarios) and a file of {@link RunResults}.
 */
public final class SharedLinkTable {

    private static final long SECOND_US = 1_000_000;
    private static final int BULK_SECONDS = 60;
    private static final int RTT_MS = 50;
    private static final long MBIT = 1_000_000;
    private static final int GAME_MESSAGES = 10_000;
    private static final int GAME_MESSAGES_PER_SECOND = 60;
    private static final int GAME_MESSAGE_BYTES = 100;

    private SharedLinkTable() {
    }

    /** A property of a run and its limit. The limit is a minimum or a maximum, or both. */
    record Goal(String name, double atLeast, double atMost) {

        static Goal atLeast(String name, double limit) {
            return new Goal(name, limit, Double.POSITIVE_INFINITY);
        }

        static Goal atMost(String name, double limit) {
            return new Goal(name, Double.NEGATIVE_INFINITY, limit);
        }

        boolean isMet(double value) {
            return value >= atLeast && value <= atMost;
        }

        String limit() {
            return Double.isInfinite(atMost) ? "≥ " + number(atLeast) : Double.isInfinite(atLeast) ? "≤ " + number(atMost)
                : number(atLeast) + " to " + number(atMost);
        }

        private static String number(double value) {
            return value == Math.rint(value) ? Long.toString((long) value) : Double.toString(value);
        }
    }

    /** A simulation that returns one value for each goal. */
    record Scenario(String name, List<Goal> goals, LongFunction<double[]> run) {
    }

    /** Flows on one link. */
    private static final class Run implements AutoCloseable {

        final SimulatedNetwork network = new SimulatedNetwork();
        final List<Flow> flows = new ArrayList<>();
        final Bottleneck link;
        final int seconds;
        final long seed;

        Run(Bottleneck link, long seed, int seconds) {
            this.link = link;
            this.seed = seed;
            this.seconds = seconds;
        }

        Flow add(KcpConfig config, int rttMs, Flow.Options options) {
            options.durationUs = seconds * SECOND_US;
            Flow flow = new Flow(network, link, config, rttMs * 1_000L, seed * 100 + flows.size(), options);
            flows.add(flow);
            return flow;
        }

        void run() {
            network.runUntil(seconds * SECOND_US);
        }

        static double megabits(Flow flow, int fromSecond, int toSecond) {
            return flow.deliveredBytes(fromSecond * SECOND_US, toSecond * SECOND_US) * 8.0 / (toSecond - fromSecond) / MBIT;
        }

        @Override
        public void close() {
            flows.forEach(Flow::release);
            network.release();
        }
    }

    static Bottleneck link(long seed, long megabits, int rttMs, double queueProducts) {
        return new Bottleneck(seed, megabits * MBIT).queueBytes((long) (megabits * 125 * rttMs * queueProducts));
    }

    static List<Scenario> scenarios() {
        List<Scenario> all = new ArrayList<>();
        for (long megabits : new long[] {20, 100}) {
            for (int rttMs : new int[] {20, 50, 250}) {
                all.add(new Scenario("2 % loss in bursts of 5, " + megabits + " Mbit/s, " + rttMs + " ms",
                    List.of(Goal.atLeast("goodput, %", 80)), seed -> goodput(link(seed, megabits, rttMs, 1).loss(0.02).bursts(5), seed,
                        rttMs, megabits * 0.98, 0)));
                all.add(new Scenario("jitter of ±20 ms, " + megabits + " Mbit/s, " + rttMs + " ms",
                    List.of(Goal.atLeast("goodput, %", 75)), seed -> goodput(link(seed, megabits, rttMs, 1), seed, rttMs, megabits,
                        20)));
            }
        }
        for (int bucketKilobytes : new int[] {20, 100}) {
            all.add(new Scenario("policer of 10 Mbit/s, bucket of " + bucketKilobytes + " kB, 50 Mbit/s, 50 ms",
                List.of(Goal.atLeast("goodput, %", 80), Goal.atMost("lost, %", 5)), seed -> policer(seed, bucketKilobytes)));
        }
        all.add(new Scenario("20, then 5, then 20 Mbit/s, 50 ms", List.of(Goal.atMost("queue below 12.5 ms after, s", 1),
            Goal.atLeast("goodput 2 to 4 s after the decrease, %", 80), Goal.atLeast("goodput 2 to 4 s after the increase, %", 80)),
            SharedLinkTable::steps));
        all.add(new Scenario("two flows, 20 Mbit/s, 50 ms", List.of(Goal.atLeast("Jain's index", 0.95)), seed -> jain(seed, 50)));
        all.add(new Scenario("two flows, 20 Mbit/s, 20 and 80 ms", List.of(Goal.atLeast("Jain's index", 0.8)), seed -> jain(seed, 80)));
        for (int queue : new int[] {1, 2, 4}) {
            all.add(new Scenario("beside CUBIC, 20 Mbit/s, 50 ms, queue of " + queue + " round trips",
                List.of(new Goal("share, %", 35, 65)), seed -> besideCubic(seed, queue)));
        }
        KcpConfig game = KcpConfig.fast3();
        KcpConfig copies = game.toBuilder().redundancy(Redundancy.ON).build();
        List<Goal> gameGoals = List.of(Goal.atMost("99 % delivered within, ms", 45), Goal.atLeast("goodput of the transfer, %", 0));
        all.add(new Scenario("game alone: fast3", gameGoals, seed -> game(seed, game, null)));
        all.add(new Scenario("game beside bulk: fast3, fast3 with BBR", gameGoals,
            seed -> game(seed, game, config(CongestionAlgorithm.BBR))));
        all.add(new Scenario("game beside bulk: fast3 with copies, fast3 with BBR", gameGoals,
            seed -> game(seed, copies, config(CongestionAlgorithm.BBR))));
        all.add(new Scenario("game beside bulk: auto, auto", gameGoals, seed -> game(seed, KcpConfig.auto(), KcpConfig.auto())));
        return all;
    }

    private static double[] goodput(Bottleneck link, long seed, int rttMs, double megabits, int jitterMs) {
        try (Run run = new Run(link, seed, BULK_SECONDS)) {
            Flow.Options options = new Flow.Options();
            options.jitterUs = jitterMs * 1_000L;
            Flow flow = run.add(config(CongestionAlgorithm.BBR), rttMs, options);
            run.run();
            return new double[] {100 * Run.megabits(flow, 0, BULK_SECONDS) / megabits};
        }
    }

    private static double[] policer(long seed, int bucketKilobytes) {
        try (Run run = new Run(link(seed, 50, RTT_MS, 1).policer(10 * MBIT, bucketKilobytes * 1_000L), seed, BULK_SECONDS)) {
            Flow flow = run.add(config(CongestionAlgorithm.BBR), RTT_MS, new Flow.Options());
            run.run();
            return new double[] {100 * Run.megabits(flow, 0, BULK_SECONDS) / 10, 100 * flow.lossShare()};
        }
    }

    private static double[] steps(long seed) {
        // The steps occur at different times of a probe for bandwidth.
        long downUs = 20 * SECOND_US + seed * 97_000;
        long upUs = 40 * SECOND_US + seed * 97_000;
        Bottleneck link = link(seed, 20, RTT_MS, 1).rates(new Bottleneck.Step(0, 20 * MBIT), new Bottleneck.Step(downUs, 5 * MBIT),
            new Bottleneck.Step(upUs, 20 * MBIT));
        try (Run run = new Run(link, seed, BULK_SECONDS)) {
            Flow.Options options = new Flow.Options();
            options.binUs = 10_000;
            Flow flow = run.add(config(CongestionAlgorithm.BBR), RTT_MS, options);
            run.run();
            long shortUs = downUs + 100_000;
            while (shortUs < upUs && flow.maxQueueMs(shortUs, shortUs + RTT_MS * 1_000) > 12.5) {
                shortUs += options.binUs;
            }
            return new double[] {(shortUs - downUs) / 1e6, share(flow, downUs, 5), share(flow, upUs, 20)};
        }
    }

    private static double share(Flow flow, long stepUs, long megabits) {
        return 100 * flow.deliveredBytes(stepUs + 2 * SECOND_US, stepUs + 4 * SECOND_US) * 8.0 / 2 / (megabits * MBIT);
    }

    private static double[] jain(long seed, int secondRttMs) {
        int firstRttMs = secondRttMs == RTT_MS ? RTT_MS : 20;
        try (Run run = new Run(link(seed, 20, RTT_MS, 1), seed, BULK_SECONDS)) {
            Flow first = run.add(config(CongestionAlgorithm.BBR), firstRttMs, new Flow.Options());
            Flow.Options later = new Flow.Options();
            later.startUs = 5 * SECOND_US + seed * 37_000;
            Flow second = run.add(config(CongestionAlgorithm.BBR), secondRttMs, later);
            run.run();
            double one = Run.megabits(first, 15, BULK_SECONDS);
            double other = Run.megabits(second, 15, BULK_SECONDS);
            return new double[] {(one + other) * (one + other) / 2 / (one * one + other * other)};
        }
    }

    private static double[] besideCubic(long seed, int queueRoundTrips) {
        try (Run run = new Run(link(seed, 20, RTT_MS, queueRoundTrips), seed, BULK_SECONDS)) {
            Flow bbr = run.add(config(CongestionAlgorithm.BBR), RTT_MS, new Flow.Options());
            Flow cubic = run.add(config(CongestionAlgorithm.CUBIC), RTT_MS, new Flow.Options());
            run.run();
            double own = Run.megabits(bbr, 10, BULK_SECONDS);
            return new double[] {100 * own / (own + Run.megabits(cubic, 10, BULK_SECONDS))};
        }
    }

    /** Sends the messages of a game from the second second on, while another session transfers data. */
    private static double[] game(long seed, KcpConfig game, @Nullable KcpConfig bulk) {
        int seconds = GAME_MESSAGES / GAME_MESSAGES_PER_SECOND + 5;
        try (Run run = new Run(link(seed, 20, RTT_MS, 1), seed, seconds)) {
            Flow.Options messages = new Flow.Options();
            messages.bulk = false;
            messages.messageBytes = GAME_MESSAGE_BYTES;
            Flow gameFlow = run.add(game, RTT_MS, messages);
            Flow bulkFlow = bulk == null ? null : run.add(bulk, RTT_MS, new Flow.Options());
            for (int i = 0; i < GAME_MESSAGES; i++) {
                run.network.schedule(SECOND_US + i * SECOND_US / GAME_MESSAGES_PER_SECOND, gameFlow::write);
            }
            run.run();
            return new double[] {gameFlow.deliveryMs(99), bulkFlow == null ? 0 : 100 * Run.megabits(bulkFlow, 0, seconds) / 20};
        }
    }

    /** Prints the table. */
    public static void main(String[] args) {
        int seeds = Integer.parseInt(args[0]);
        String part = args.length > 1 ? args[1] : "all";
        RunResults known = new RunResults(args.length > 2 ? args[2] : null);
        System.out.println("| scenario | measured | goal | mean | range | seeds that miss |");
        System.out.println("|---|---|---|---|---|---|");
        for (Scenario scenario : scenarios()) {
            if (!part.equals("all") && !scenario.name.contains(part)) {
                continue;
            }
            double[][] values = new double[seeds][];
            for (int i = 0; i < seeds; i++) {
                long seed = i + 1;
                values[i] = known.get(scenario.name + ", seed " + seed, () -> scenario.run.apply(seed));
            }
            for (int i = 0; i < scenario.goals.size(); i++) {
                System.out.println(row(scenario, i, values));
            }
        }
    }

    private static String row(Scenario scenario, int index, double[][] values) {
        Goal goal = scenario.goals.get(index);
        double[] sorted = Arrays.stream(values).mapToDouble(run -> run[index]).sorted().toArray();
        long missed = Arrays.stream(sorted).filter(value -> !goal.isMet(value)).count();
        int digits = goal.name.startsWith("Jain") ? 3 : 1;
        return String.format(Locale.ROOT, "| %s | %s | %s | %." + digits + "f | %." + digits + "f–%." + digits + "f | %s |",
            index == 0 ? scenario.name : "…", goal.name, goal.limit(), Arrays.stream(sorted).average().orElse(0), sorted[0],
            sorted[sorted.length - 1], missed == 0 ? "" : missed + " of " + sorted.length);
    }
}

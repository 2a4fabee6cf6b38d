package io.kcp.testkit;

import io.kcp.core.CongestionAlgorithm;
import io.kcp.core.KcpConfig;
import io.kcp.core.Redundancy;
import io.kcp.core.fec.FecConfig;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Prints the tables of the page {@code recipes.md}, as means over the seeds: the delivery times of small messages and of responses of
 * 64 kB, and the goodput of bulk transfers, over a link of 20 Mbit/s whose losses affect both directions. Arguments: the table
 * ({@code game}, {@code response} or {@code bulk}), the number of seeds, and optionally a file of {@link RunResults}.
 */
public final class RecipeTable {

    private static final long BITS_PER_SECOND = 20_000_000;
    private static final int[] RTTS_MS = {20, 60, 200};
    private static final double[] LOSSES = {0.01, 0.03, 0.1};
    private static final int GAME_MESSAGES = 4_000;
    private static final int GAME_BYTES = 100;
    private static final int RESPONSES = 300;
    private static final int RESPONSE_BYTES = 64_000;
    private static final int BULK_SECONDS = 30;
    private static final int MAX_WINDOW = 4_096;
    /** Nine tenths of the rate of the link. */
    private static final int MAX_BYTES_PER_SECOND = (int) (BITS_PER_SECOND / 8 / 10 * 9);

    private RecipeTable() {
    }

    /** Settings of both endpoints. */
    record Recipe(String name, KcpConfig config, @Nullable FecConfig fec) {
    }

    private static final KcpConfig FAST3 = KcpConfig.fast3();
    private static final KcpConfig COPIES = FAST3.toBuilder().redundancy(Redundancy.ON).build();

    static List<Recipe> gameRecipes() {
        return List.of(new Recipe("`fast3()`", FAST3, null), new Recipe("… and `redundancy(ON)`", COPIES, null),
            new Recipe("… and `redundancyDelayMs(10)`", COPIES.toBuilder().redundancyDelayMs(10).build(), null),
            new Recipe("`fast3()` and FEC 1:1", FAST3, FecConfig.of(1, 1)), new Recipe("`auto()`", KcpConfig.auto(), null));
    }

    static List<Recipe> responseRecipes() {
        KcpConfig windows = FAST3.toBuilder().windows(1_024).build();
        return List.of(new Recipe("`fast3()`, windows 1,024", windows, null),
            new Recipe("… and `maxBytesPerSecond`", windows.toBuilder().maxBytesPerSecond(MAX_BYTES_PER_SECOND).build(), null),
            new Recipe("`auto()`", KcpConfig.auto(), null), new Recipe("`auto()` and FEC 10:3", KcpConfig.auto(), FecConfig.of(10, 3)));
    }

    static List<Recipe> bulkRecipes() {
        return List.of(new Recipe("`fast3()`", FAST3, null),
            new Recipe("`fast3()`, windows 4,096", FAST3.toBuilder().windows(MAX_WINDOW).build(), null),
            new Recipe("… and `maxBytesPerSecond`",
                FAST3.toBuilder().windows(MAX_WINDOW).maxBytesPerSecond(MAX_BYTES_PER_SECOND).build(), null),
            new Recipe("… and CUBIC",
                FAST3.toBuilder().windows(MAX_WINDOW).congestionControl(CongestionAlgorithm.CUBIC).build(), null),
            new Recipe("… and BBR", FAST3.toBuilder().windows(MAX_WINDOW).congestionControl(CongestionAlgorithm.BBR).build(), null),
            new Recipe("`auto()`", KcpConfig.auto(), null));
    }

    private static LinkProfile link(int rttMs, double loss) {
        return LinkProfile.builder().rateBitsPerSecond(BITS_PER_SECOND).framingBytes(Bottleneck.FRAMING_BYTES)
            .queueBytes(BITS_PER_SECOND / 8 * rttMs / 1_000).delayMs(rttMs / 2.0).lossProbability(loss).build();
    }

    /** Returns the median and the 99th percentile of the delivery times in milliseconds, and the bytes per message of the sender. */
    static double[] messages(Recipe recipe, int rttMs, double loss, int messages, int bytes, long intervalUs, long seed) {
        try (KcpPair pair = KcpPair.builder(seed).configs(recipe.config).fec(recipe.fec).links(link(rttMs, loss)).build()) {
            TransferPlan plan = TransferPlan.ofMessages(seed, messages, bytes);
            pair.b().application().expect(plan, true);
            pair.b().application().measureDelivery(pair.network().nowUs(), intervalUs);
            pair.a().application().write(plan, Integer.MAX_VALUE, intervalUs);
            pair.assertCompletes(2 * messages * intervalUs / 1_000);
            long[] us = pair.b().application().deliveryTimesUs();
            Arrays.sort(us);
            return new double[] {us[us.length / 2] / 1e3, us[us.length * 99 / 100] / 1e3,
                (double) pair.a().sent().wireBytes() / messages};
        }
    }

    /** Returns the goodput in Mbit/s, and the share of the datagrams that the full queue dropped, in percent. */
    static double[] bulk(Recipe recipe, int rttMs, double loss, long seed) {
        SimulatedNetwork network = new SimulatedNetwork();
        Flow.Options options = new Flow.Options();
        options.durationUs = BULK_SECONDS * 1_000_000L;
        options.acknowledgementLoss = loss;
        Bottleneck link = new Bottleneck(seed, BITS_PER_SECOND).queueBytes(BITS_PER_SECOND / 8 * rttMs / 1_000).loss(loss);
        Flow flow = new Flow(network, link, recipe.config, rttMs * 1_000L, seed, options);
        network.runUntil(options.durationUs);
        double[] result = {flow.deliveredBytes() * 8.0 / BULK_SECONDS / 1e6, 100 * flow.queueDropShare()};
        flow.release();
        network.release();
        return result;
    }

    private static double[] mean(List<double[]> runs) {
        double[] mean = new double[runs.get(0).length];
        for (double[] run : runs) {
            for (int i = 0; i < mean.length; i++) {
                mean[i] += run[i] / runs.size();
            }
        }
        return mean;
    }

    /** A run with a seed. */
    private interface Run {
        double[] run(Recipe recipe, int rttMs, double loss, long seed);
    }

    private static void print(String table, String unit, String format, List<Recipe> recipes, int seeds, RunResults known, Run run) {
        StringBuilder header = new StringBuilder("| loss, % | round trip, ms |");
        recipes.forEach(recipe -> header.append(' ').append(recipe.name).append(" |"));
        System.out.println(table + ", " + unit);
        System.out.println(header);
        System.out.println("|---|---|" + "---|".repeat(recipes.size()));
        for (double loss : LOSSES) {
            for (int rttMs : RTTS_MS) {
                StringBuilder row = new StringBuilder(String.format(Locale.ROOT, "| %.0f | %d |", 100 * loss, rttMs));
                for (Recipe recipe : recipes) {
                    List<double[]> runs = new ArrayList<>();
                    for (int i = 1; i <= seeds; i++) {
                        long seed = i;
                        runs.add(known.get(table + ' ' + recipe.name + ' ' + loss + ' ' + rttMs + ' ' + seed,
                            () -> run.run(recipe, rttMs, loss, seed)));
                    }
                    double[] mean = mean(runs);
                    row.append(String.format(Locale.ROOT, ' ' + format + " |", Arrays.stream(mean).boxed().toArray()));
                }
                System.out.println(row);
            }
        }
    }

    private static void game(int perSecond, int seeds, RunResults known) {
        print(perSecond + " messages per second", "p50; p99 in ms; bytes per message", "%.0f; %.0f; %.0f", gameRecipes(), seeds, known,
            (recipe, rttMs, loss, seed) -> messages(recipe, rttMs, loss, GAME_MESSAGES, GAME_BYTES, 1_000_000L / perSecond, seed));
    }

    /** Prints a table. */
    public static void main(String[] args) {
        int seeds = Integer.parseInt(args[1]);
        RunResults known = new RunResults(args.length > 2 ? args[2] : null);
        switch (args[0]) {
            case "game" -> {
                game(20, seeds, known);
                game(60, seeds, known);
            }
            case "response" -> print("responses of 64 kB, two per second", "p50; p99 in ms; bytes", "%.0f; %.0f; %.0f", responseRecipes(),
                seeds, known,
                (recipe, rttMs, loss, seed) -> messages(recipe, rttMs, loss, RESPONSES, RESPONSE_BYTES, 500_000, seed));
            case "bulk" -> print("bulk", "goodput in Mbit/s; queue drops in %", "%.1f; %.0f", bulkRecipes(), seeds, known,
                RecipeTable::bulk);
            default -> throw new IllegalArgumentException("table: " + args[0] + " (expected: game, response or bulk)");
        }
    }
}

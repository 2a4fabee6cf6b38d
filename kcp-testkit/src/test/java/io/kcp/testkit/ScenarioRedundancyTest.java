package io.kcp.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.KcpConfig;
import io.kcp.core.KcpStats;
import io.kcp.core.Redundancy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests how much sooner messages at a constant interval arrive if datagrams contain copies of earlier messages (S23). */
class ScenarioRedundancyTest {

    private static final int MESSAGES = Integer.getInteger("kcp.messages", 10_000);
    private static final int MESSAGE_BYTES = 200;
    private static final int INTERVAL_MS = 20;
    private static final LinkProfile LINK = LinkProfile.broadband().lossProbability(0.05).build();
    private static final double MIN_COPIES = 1.5;
    private static final double MAX_P99_MS = 50;
    /** Limit of the 99.9th percentile over the messages of all runs, because a run has only ten messages beyond this percentile. */
    private static final double MAX_P999_MS = 75;
    private static final double MAX_P999_OF_A_RUN_MS = 90;

    @Test
    void copiesShortenTheDelayWithoutAdditionalDatagrams() {
        List<long[]> delaysUs = new ArrayList<>();
        Scenario scenario = Scenario.named("S23 50 messages of 200 B a second, 5 % lost").only(Variant.PLAIN, Variant.CIPHER)
            .afterEachVariant(() -> {
                long[] all = delaysUs.stream().flatMapToLong(Arrays::stream).sorted().toArray();
                delaysUs.clear();
                System.out.println("  p99.9 of all runs, ms: " + percentileMs(all, 0.999));
                assertThat(percentileMs(all, 0.999)).as("p99.9 of %s messages", all.length).isLessThanOrEqualTo(MAX_P999_MS);
            });
        scenario.forEachSeed(seed -> {
            Result without = run(scenario, seed, KcpConfig.fast3());
            Result with = run(scenario, seed, KcpConfig.fast3().toBuilder().redundancy(Redundancy.ON).build());
            scenario.record("p99 without, ms", without.percentileMs(0.99));
            scenario.record("p99.9 without, ms", without.percentileMs(0.999));
            scenario.record("datagrams without", without.datagrams);
            scenario.record("datagrams", with.datagrams);
            scenario.record("bytes ratio", (double) with.bytes / without.bytes);
            scenario.record("retransmissions without", without.stats.retransmissions());
            scenario.record("retransmissions", with.stats.retransmissions());
            scenario.assertAtMost("p99, ms", with.percentileMs(0.99), MAX_P99_MS);
            scenario.assertAtMost("p99.9, ms", with.percentileMs(0.999), MAX_P999_OF_A_RUN_MS);
            delaysUs.add(with.sortedUs);
            scenario.record("max, ms", with.percentileMs(1));
            assertThat(with.datagrams).isLessThanOrEqualTo(without.datagrams);
            assertThat(with.peerDatagrams).isLessThanOrEqualTo(without.peerDatagrams);
            assertThat(Math.abs(with.smoothedRttMs - without.smoothedRttMs)).isLessThanOrEqualTo(1);
        });
    }

    @Test
    void adaptiveCopiesAreSentWhileThePathLoses() {
        Scenario scenario = Scenario.named("S23 adaptive copies, 5 % lost").only(Variant.PLAIN);
        scenario.forEachSeed(seed -> {
            Result result = run(scenario, seed, KcpConfig.fast3().toBuilder().redundancy(Redundancy.ADAPTIVE).build());
            scenario.record("p99, ms", result.percentileMs(0.99));
            scenario.record("p99.9, ms", result.percentileMs(0.999));
            scenario.assertAtLeast("copies per message", (double) result.stats.redundantSegments() / MESSAGES, MIN_COPIES);
            scenario.assertAtMost("p99, ms", result.percentileMs(0.99), MAX_P99_MS);
        });
    }

    @Test
    void adaptiveCopiesAreNotSentOnACleanPath() {
        Scenario scenario = Scenario.named("S23 adaptive copies, no loss").only(Variant.PLAIN);
        scenario.forSomeSeeds(10, seed -> {
            KcpConfig config = KcpConfig.fast3().toBuilder().redundancy(Redundancy.ADAPTIVE).build();
            try (KcpPair pair = scenario.pair(seed).configs(config).links(LINK.toBuilder().lossProbability(0).build()).build()) {
                pair.sendPeriodicallyFromA(TransferPlan.ofMessages(seed, MESSAGES, MESSAGE_BYTES), INTERVAL_MS);
                pair.assertCompletes(MESSAGES * INTERVAL_MS * 2L);
                scenario.assertAtMost("copies", pair.a().kcp().stats().redundantSegments(), 0);
            }
        });
    }

    private static Result run(Scenario scenario, long seed, KcpConfig config) {
        try (KcpPair pair = scenario.pair(seed).configs(config, KcpConfig.fast3()).links(LINK).build()) {
            pair.sendPeriodicallyFromA(TransferPlan.ofMessages(seed, MESSAGES, MESSAGE_BYTES), INTERVAL_MS);
            pair.assertCompletes(MESSAGES * INTERVAL_MS * 2L);
            long[] sorted = pair.b().application().deliveryTimesUs();
            Arrays.sort(sorted);
            return new Result(sorted, pair.a().sent().datagrams(), pair.a().sent().wireBytes(), pair.b().sent().datagrams(),
                pair.a().kcp().stats(), pair.a().kcp().smoothedRttMs());
        }
    }

    private static double percentileMs(long[] sortedUs, double share) {
        return sortedUs[(int) Math.ceil(share * sortedUs.length) - 1] / 1_000.0;
    }

    private record Result(long[] sortedUs, long datagrams, long bytes, long peerDatagrams, KcpStats stats, int smoothedRttMs) {

        private double percentileMs(double share) {
            return ScenarioRedundancyTest.percentileMs(sortedUs, share);
        }
    }
}

package io.kcp.testkit;

import io.kcp.core.CongestionAlgorithm;
import io.kcp.core.KcpConfig;
import io.kcp.core.LinkState;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests paths that lose all datagrams, temporarily or permanently (S7 of the scenario table). */
class ScenarioBlackholeTest {

    private static final LinkProfile TEN_MEGABITS = LinkProfile.builder().rateBitsPerSecond(10_000_000).queueDatagrams(200)
        .delayMs(25).build();

    /** S7 a: size of the transfer. */
    private static final long S7_BYTES = 10_000_000;
    /** S7 b: from the return of the path to the first byte that the application reads. */
    private static final long S7_MAX_RESUME_MS = 3_000;
    /** S7 c: time from the loss of the path to the dead-peer timeout, with a tolerance of one interval. */
    private static final long S7_DEAD_PEER_MS = 30_000;

    private static KcpConfig config(CongestionAlgorithm congestionControl) {
        return KcpConfig.fast().toBuilder().congestionControl(congestionControl).build();
    }

    @ParameterizedTest
    @EnumSource(names = {"NONE", "CUBIC"})
    void transferSurvivesRepeatedBlackholes(CongestionAlgorithm congestionControl) {
        LinkProfile link = TEN_MEGABITS.toBuilder().loss(seed -> LossModel.periodicBlackhole(5_000, 2_000)).build();
        Scenario scenario = Scenario.named("S7a on 5 s, off 2 s, " + congestionControl);
        // The seed determines only the size of the writes.
        scenario.forSomeSeeds(5, seed -> {
            try (KcpPair pair = scenario.pair(seed).configs(config(congestionControl)).links(link).build()) {
                pair.sendFromA(S7_BYTES);
                scenario.record("seconds", pair.assertCompletes(120_000) / 1000.0);
                scenario.record("longest pause ms", pair.b().application().longestReadPauseMs());
                scenario.record("spurious %", pair.a().sent().spuriousPercent());
            }
        });
    }

    /** Returns when the path fails, which is before the end of the transfer for each seed. */
    private static long lostAtMs(long seed) {
        return 200 + seed % 100 * 37;
    }

    @ParameterizedTest
    @EnumSource(names = {"NONE", "CUBIC"})
    void transferResumesSoonAfterThePathReturns(CongestionAlgorithm congestionControl) {
        Scenario scenario = Scenario.named("S7b 20 s without a path, " + congestionControl);
        scenario.forEachSeed(seed -> {
            // The seed decides when the path fails, in the transfer and in the back-off.
            long lostAtMs = lostAtMs(seed);
            long backAtMs = lostAtMs + 20_000;
            LinkProfile link = TEN_MEGABITS.toBuilder().loss(ignored -> LossModel.blackhole(lostAtMs, backAtMs)).build();
            try (KcpPair pair = scenario.pair(seed).configs(config(congestionControl)).links(link).build()) {
                pair.sendFromA(S7_BYTES / 2);
                pair.runUntil(() -> pair.nowMs() >= backAtMs, backAtMs + 1);
                long readBytes = pair.b().application().readBytes();
                pair.runUntil(() -> pair.b().application().readBytes() > readBytes, 2 * S7_MAX_RESUME_MS);
                scenario.assertAtMost("first byte after ms", pair.nowMs() - backAtMs, S7_MAX_RESUME_MS);
                scenario.record("seconds", pair.assertCompletes(60_000) / 1000.0);
            }
        });
    }

    @ParameterizedTest
    @EnumSource(names = {"NONE", "CUBIC"})
    void lostPathIsDetectedInTime(CongestionAlgorithm congestionControl) {
        Scenario scenario = Scenario.named("S7c path gone for ever, " + congestionControl);
        scenario.forEachSeed(seed -> {
            long lostAtMs = lostAtMs(seed);
            LinkProfile link = TEN_MEGABITS.toBuilder().loss(ignored -> LossModel.blackhole(lostAtMs, Long.MAX_VALUE / 1_000)).build();
            KcpConfig config = config(congestionControl);
            try (KcpPair pair = scenario.pair(seed).configs(config).links(link).build()) {
                pair.sendFromA(S7_BYTES);
                pair.runUntil(() -> pair.a().closedAtMs() >= 0, 2 * S7_DEAD_PEER_MS);
                pair.assertIntact();
                if (pair.a().linkState() != LinkState.PEER_TIMEOUT) {
                    throw new AssertionError("link state " + pair.a().linkState());
                }
                // The last datagrams of the peer are still in flight when the path fails.
                long sinceHeardMs = pair.a().closedAtMs() - pair.a().latestInputMs();
                scenario.assertAtLeast("gave up after ms", sinceHeardMs, S7_DEAD_PEER_MS - config.intervalMs());
                scenario.assertAtMost("gave up after ms", sinceHeardMs, S7_DEAD_PEER_MS + config.intervalMs());
            }
        });
    }

    @Test
    void idleConversationSurvivesALostPath() {
        LinkProfile link = TEN_MEGABITS.toBuilder().loss(ignored -> LossModel.blackhole(5_000, 600_000)).build();
        Scenario scenario = Scenario.named("S7 path gone while idle");
        scenario.forEachSeed(seed -> {
            try (KcpPair pair = scenario.pair(seed).configs(KcpConfig.fast()).links(link).build()) {
                pair.sendFromA(10_000);
                // Includes ten idle minutes.
                pair.assertCompletes(5_000);
                pair.sendFromA(10_000);
                scenario.record("seconds", pair.assertCompletes(5_000) / 1000.0);
            }
        });
    }
}

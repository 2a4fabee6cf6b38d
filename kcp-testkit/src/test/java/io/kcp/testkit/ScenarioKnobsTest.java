package io.kcp.testkit;

import io.kcp.core.CongestionAlgorithm;
import io.kcp.core.EarlyRetransmit;
import io.kcp.core.KcpConfig;
import io.kcp.core.KcpTransferMode;
import io.kcp.core.Redundancy;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests each pair of values of each two settings, with equal and different settings on both sides (S19 of the scenario table). */
class ScenarioKnobsTest {

    private static final boolean[] OFF_ON = {false, true};
    private static final int[] INTERVALS_MS = {10, 30, 100};
    private static final int[] FAST_RESENDS = {0, 1, 2, 5};
    private static final int[] WINDOWS = {4, 32, 128, 1_024};
    private static final long BYTES = 120_000;
    private static final int MAX_WRITE_BYTES = 8_000;
    private static final int LIMIT_MS = 600_000;

    private static final LinkProfile ROUGH = LinkProfile.broadband().jitterMs(20, false).duplicateProbability(0.01)
        .loss(seed -> LossModel.independent(0.05, seed)).build();

    @Test
    void everyPairOfSettingsDeliversIntact() {
        List<KcpConfig> configs = configs();
        Scenario scenario = Scenario.named("S19 " + configs.size() + " sets of knobs that cover all pairs");
        scenario.forEachSeed(seed -> {
            for (int i = 0; i < configs.size(); i++) {
                KcpConfig config = configs.get(i);
                // The two sides have different settings, and the seed determines the settings of the second side.
                KcpConfig other = seed % 2 == 0 ? config : configs.get((int) ((i + seed) % configs.size()));
                transfer(scenario, seed, config, other);
            }
        });
    }

    private static List<KcpConfig> configs() {
        List<KcpConfig> configs = new ArrayList<>();
        for (int[] row : PairwiseCover.rows(2, INTERVALS_MS.length, FAST_RESENDS.length, CongestionAlgorithm.values().length,
            KcpTransferMode.values().length, 2, 2, WINDOWS.length, EarlyRetransmit.values().length, 2, Redundancy.values().length)) {
            configs.add(KcpConfig.builder()
                .noDelay(OFF_ON[row[0]], INTERVALS_MS[row[1]], FAST_RESENDS[row[2]], CongestionAlgorithm.values()[row[3]])
                .mode(KcpTransferMode.values()[row[4]])
                .ackNoDelay(OFF_ON[row[5]])
                .writeDelay(OFF_ON[row[6]])
                .windows(WINDOWS[row[7]])
                .earlyRetransmit(EarlyRetransmit.values()[row[8]])
                .adaptiveReordering(OFF_ON[row[9]])
                .redundancy(Redundancy.values()[row[10]])
                .redundancyDelayMs(row[5] * 10)
                .build());
        }
        configs.add(KcpConfig.auto());
        configs.add(KcpConfig.normal());
        configs.add(KcpConfig.kcpGoCompatible());
        return configs;
    }

    private static void transfer(Scenario scenario, long seed, KcpConfig ofA, KcpConfig ofB) {
        try (KcpPair pair = scenario.pair(seed).configs(ofA, ofB).links(ROUGH).overheadBytes(seed % 3 == 0 ? 36 : 0).build()) {
            // The peer's window is unknown before its first datagram, so a message must fit the smallest window.
            int maxWriteBytes = Math.min(MAX_WRITE_BYTES, pair.a().kcp().mssBytes()
                * Math.min(ofA.receiveWindow(), ofB.receiveWindow()));
            // A receiver in stream mode discards empty messages.
            int minWriteBytes = ofA.mode() == ofB.mode() ? 0 : 1;
            pair.sendFromA(new TransferPlan(seed, BYTES, minWriteBytes, maxWriteBytes));
            pair.sendFromB(new TransferPlan(seed + 1, BYTES, minWriteBytes, maxWriteBytes));
            scenario.record("seconds", pair.assertCompletes(LIMIT_MS) / 1000.0);
        } catch (AssertionError e) {
            throw new AssertionError(ofA + " with " + ofB + ": " + e.getMessage(), e);
        }
    }
}

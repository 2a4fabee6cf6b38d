package io.kcp.testkit;

import io.kcp.core.CongestionAlgorithm;
import io.kcp.core.KcpConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests lost datagrams (S1, S2, S4, S6 and S14 of the scenario table). */
class ScenarioLossTest {

    private static final long TWO_MEGABYTES = 2_000_000;

    /** S1: wire bytes per payload byte, times the share that arrives. */
    private static final double S1_MAX_OVERHEAD_FACTOR = 1.35;
    /** S1: maximum size of headers and acknowledgements relative to the payload. */
    private static final double S1_MAX_OVERHEAD_SHARE = 0.05;
    /** S1: the highest loss up to which wire bytes are bounded. */
    private static final double S1_MAX_BOUNDED_LOSS = 0.30;
    /** S2: maximum number of consecutive timeouts of one segment. */
    private static final int S2_MAX_TIMEOUTS_IN_ROW = 6;
    /** S2: an idle burst of n datagrams lasts n times this time, which is still 90 times longer than in traffic. */
    private static final int BURST_IDLE_STEP_MS = 10;
    /** S6: time with half of the acknowledgements lost, relative to none lost. */
    private static final double S6_MAX_TIME_RATIO = 1.5;
    /** S6: share of the runs in which so many acknowledgements in a row are lost that the transfer takes longer. */
    private static final double S6_SHARE = 0.01;
    private static final double S6_WORST_TIME_RATIO = 2.0;
    /** S14: sessions per seed, all of which must complete. */
    private static final int S14_SESSIONS = 50;

    private static LinkProfile lossy(double probability) {
        return LinkProfile.broadband().loss(seed -> LossModel.independent(probability, seed)).build();
    }

    /** At 50 % loss, the responses to all retransmissions within 30 s are lost in about four of a thousand transfers. */
    private static int deadPeerTimeoutMs(double probability) {
        return probability > S1_MAX_BOUNDED_LOSS ? 120_000 : 30_000;
    }

    @ParameterizedTest
    @ValueSource(doubles = {0.001, 0.01, 0.05, 0.10, 0.20, 0.30, 0.50})
    void independentLossIsRecoveredAtBoundedCost(double probability) {
        KcpConfig config = KcpConfig.fast().toBuilder().congestionControl(CongestionAlgorithm.CUBIC)
            .deadPeerTimeoutMs(deadPeerTimeoutMs(probability)).build();
        Scenario scenario = Scenario.named("S1 loss " + probability * 100 + " % both ways, CUBIC");
        scenario.forEachSeed(seed -> {
            try (KcpPair pair = scenario.pair(seed).configs(config).links(lossy(probability)).build()) {
                pair.sendFromA(TWO_MEGABYTES);
                scenario.record("seconds", pair.assertCompletes(3_600_000) / 1000.0);
                double wireBytes = pair.a().sent().wireBytes();
                scenario.record("acknowledgement wire bytes %", 100.0 * pair.b().sent().wireBytes() / TWO_MEGABYTES);
                scenario.record("spurious %", pair.a().sent().spuriousPercent());
                double share = wireBytes / TWO_MEGABYTES * (1 - probability);
                if (probability <= S1_MAX_BOUNDED_LOSS) {
                    double limit = TWO_MEGABYTES * (S1_MAX_OVERHEAD_FACTOR / (1 - probability) + S1_MAX_OVERHEAD_SHARE)
                        * scenario.variant().datagramFactor();
                    scenario.record("wire bytes x (1-p) per payload byte", share);
                    scenario.assertAtMost("wire bytes", wireBytes + pair.b().sent().wireBytes(), limit);
                } else {
                    scenario.record("wire bytes x (1-p) per payload byte", share);
                }
            }
        });
    }

    @ParameterizedTest
    @ValueSource(doubles = {0.01, 0.10, 0.30, 0.50})
    void independentLossIsRecoveredWithoutCongestionControl(double probability) {
        KcpConfig config = KcpConfig.fast3().toBuilder().deadPeerTimeoutMs(deadPeerTimeoutMs(probability)).build();
        Scenario scenario = Scenario.named("S1 loss " + probability * 100 + " % both ways, fast3 both ways");
        scenario.forEachSeed(seed -> {
            try (KcpPair pair = scenario.pair(seed).configs(config).links(lossy(probability)).build()) {
                pair.sendFromA(TWO_MEGABYTES / 4);
                pair.sendFromB(TWO_MEGABYTES / 4);
                scenario.record("seconds", pair.assertCompletes(600_000) / 1000.0);
                scenario.record("spurious %", pair.a().sent().spuriousPercent());
            }
        });
    }

    @ParameterizedTest
    @CsvSource({
        "3, 0.05, NONE", "3, 0.15, NONE", "10, 0.05, NONE", "10, 0.15, NONE", "20, 0.05, NONE", "20, 0.15, NONE",
        "3, 0.05, CUBIC", "3, 0.15, CUBIC", "10, 0.05, CUBIC", "10, 0.15, CUBIC", "20, 0.05, CUBIC", "20, 0.15, CUBIC"})
    void burstsCauseNoTimeoutStorm(double meanBurst, double lossRate, CongestionAlgorithm congestionControl) {
        LinkProfile link = LinkProfile.broadband()
            .loss(seed -> LossModel.bursts(meanBurst, lossRate, BURST_IDLE_STEP_MS, seed)).build();
        KcpConfig config = KcpConfig.fast().toBuilder().congestionControl(congestionControl).build();
        Scenario scenario = Scenario.named("S2 bursts of " + meanBurst + ", " + lossRate * 100 + " % lost, " + congestionControl);
        scenario.forEachSeed(seed -> {
            try (KcpPair pair = scenario.pair(seed).configs(config).links(link).build()) {
                pair.sendFromA(TWO_MEGABYTES / 2);
                scenario.record("seconds", pair.assertCompletes(600_000) / 1000.0);
                scenario.record("most transmissions", pair.a().sent().mostTransmissions());
                scenario.record("spurious %", pair.a().sent().spuriousPercent());
                scenario.assertAtMost("timeouts in a row", pair.a().sent().mostTimeoutsInRow(), S2_MAX_TIMEOUTS_IN_ROW);
            }
        });
    }

    @Test
    void duplicatesReachTheApplicationOnce() {
        LinkProfile link = LinkProfile.broadband().jitterMs(20, false).duplicateProbability(0.10).build();
        Scenario scenario = Scenario.named("S4 10 % duplicated");
        scenario.forEachSeed(seed -> {
            try (KcpPair pair = scenario.pair(seed).configs(KcpConfig.fast()).links(link).build()) {
                pair.sendFromA(TWO_MEGABYTES / 2);
                pair.sendFromB(TWO_MEGABYTES / 2);
                scenario.record("seconds", pair.assertCompletes(60_000) / 1000.0);
                scenario.record("spurious %", pair.a().sent().spuriousPercent());
            }
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"NONE", "CUBIC"})
    void lostAcknowledgementsHardlySlowATransfer(CongestionAlgorithm congestionControl) {
        KcpConfig config = KcpConfig.fast().toBuilder().congestionControl(congestionControl).build();
        Scenario scenario = Scenario.named("S6 half of the acknowledgements lost, " + congestionControl)
            .allowShareAbove("time ratio", S6_MAX_TIME_RATIO, S6_SHARE, S6_WORST_TIME_RATIO);
        scenario.forEachSeed(seed -> {
            long lossless = oneWay(seed, config, 0, scenario);
            long lossy = oneWay(seed, config, 0.50, scenario);
            scenario.record("time ratio", (double) lossy / lossless);
        });
    }

    private static long oneWay(long seed, KcpConfig config, double acknowledgementLoss, Scenario scenario) {
        LinkProfile forth = LinkProfile.broadband().build();
        try (KcpPair pair = scenario.pair(seed).configs(config).links(forth, lossy(acknowledgementLoss)).build()) {
            pair.sendFromA(TWO_MEGABYTES);
            pair.assertCompletes(120_000);
            // Measured until the reader has everything, because the delay of the last acknowledgement is random.
            long elapsedMs = pair.b().application().latestReadMs();
            scenario.record(acknowledgementLoss > 0 ? "seconds" : "seconds without loss", elapsedMs / 1000.0);
            if (acknowledgementLoss > 0) {
                scenario.record("spurious %", pair.a().sent().spuriousPercent());
            }
            return elapsedMs;
        }
    }

    @Test
    void shortSessionsCompleteThroughHeavyLoss() {
        Scenario scenario = Scenario.named("S14 short sessions at 30 % loss");
        scenario.forEachSeed(seed -> {
            for (int session = 0; session < S14_SESSIONS; session++) {
                try (KcpPair pair = scenario.pair(seed * 1_000 + session).configs(KcpConfig.fast()).links(lossy(0.30)).build()) {
                    pair.sendFromA(1_000);
                    pair.sendFromB(10_000);
                    scenario.record("seconds", pair.assertCompletes(60_000) / 1000.0);
                }
            }
        });
    }
}

package io.kcp.testkit;

import io.kcp.core.CongestionAlgorithm;
import io.kcp.core.KcpConfig;
import io.kcp.core.fec.FecConfig;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests that FEC does not hide losses from CUBIC. {@link ScenarioReorderTest} tests CUBIC with FEC and reordering. */
class ScenarioCubicFecTest {

    private static final long BYTES = 10_000_000;
    private static final int LIMIT_MS = 300_000;
    /**
     * Minimum duration of a transfer with FEC, relative to the same transfer without FEC. About half of the repaired losses count, because
     * a segment that only a few others have overtaken may also be reordered.
     */
    private static final double MIN_DURATION_RATIO = 0.4;
    private static final double SHORTER_SHARE = 0.005;
    private static final double WORST_DURATION_RATIO = 0.3;

    @Test
    void lossesThatParityRepairsReduceTheRate() {
        Scenario scenario = Scenario.named("CUBIC, 2 % lost").only(Variant.FEC)
            .allowShareBelow("ratio", MIN_DURATION_RATIO, SHORTER_SHARE, WORST_DURATION_RATIO);
        scenario.forEachSeed(seed -> {
            FecConfig fec = FecConfig.of(10, 3);
            double without = seconds(scenario.pair(seed), null);
            double with = seconds(scenario.pair(seed), fec);
            scenario.record("seconds without FEC", without);
            scenario.record("seconds with FEC", with);
            scenario.record("ratio", with / without);
        });
    }

    private static double seconds(KcpPairBuilder builder, @Nullable FecConfig fec) {
        KcpConfig config = KcpConfig.fast3().toBuilder().congestionControl(CongestionAlgorithm.CUBIC).build();
        LinkProfile link = LinkProfile.broadband().loss(lossSeed -> LossModel.independent(0.02, lossSeed)).build();
        try (KcpPair pair = builder.fec(fec).configs(config).links(link).build()) {
            pair.sendFromA(BYTES);
            return pair.assertCompletes(LIMIT_MS) / 1_000.0;
        }
    }
}

package io.kcp.testkit;

import io.kcp.core.KcpConfig;
import io.kcp.core.fec.FecConfig;
import java.util.function.LongFunction;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests how adaptive parity follows the loss of the path, with 500 messages a second for a minute (S25). */
class ScenarioParityTest {

    private static final int INTERVAL_MS = 2;
    private static final int DURATION_MS = 60_000;
    private static final int MESSAGES = DURATION_MS / INTERVAL_MS;
    private static final int MESSAGE_BYTES = 100;
    private static final int IDLE_STEP_MS = 10;
    /** Time in which the estimate of the loss converges. */
    private static final int CONVERGED_AT_MS = 15_000;
    private static final KcpConfig CONFIG = KcpConfig.fast3().toBuilder().windows(1_024).build();
    private static final FecConfig UP_TO_6 = FecConfig.of(10, 3).adaptive(1, 6);
    private static final FecConfig UP_TO_12 = FecConfig.of(10, 3).adaptive(1, 12);

    /** 80 % of the 671 retransmissions of the earlier parity, which depended on the retransmission rate. */
    private static final double MAX_RETRANSMISSIONS_WITH_BURSTS = 537;

    private static final String UNRECOVERABLE = "unrecoverable, %";
    private static final String RETRANSMISSIONS = "retransmissions";
    private static final double MAX_UNRECOVERABLE_PERCENT = 1;
    /** Shares of the runs with bursts that exceed the limits, with the worst values. */
    private static final double BURSTS_SHARE = 0.4;
    private static final double BURSTS_WORST_PERCENT = 3;
    private static final double BURSTS_RETRANSMISSIONS_SHARE = 0.12;
    private static final double BURSTS_WORST_RETRANSMISSIONS = 800;

    @ParameterizedTest
    @ValueSource(ints = {2, 5, 10})
    @Tag("slow")
    void parityConvergesWithIndependentLosses(int percent) {
        Scenario scenario = Scenario.named("S25 adaptive parity, " + percent + " % lost").only(Variant.FEC);
        scenario.forEachSeed(seed -> {
            Result result = run(scenario, seed, UP_TO_6, each -> LossModel.independent(percent / 100.0, each));
            result.record(scenario);
            scenario.assertAtMost("changes in the last 45 s", result.trace.changes(CONVERGED_AT_MS, DURATION_MS), 4);
            scenario.assertAtMost(UNRECOVERABLE, result.unrecoverablePercent(), MAX_UNRECOVERABLE_PERCENT);
        });
    }

    @Test
    @Tag("slow")
    void parityRecoversBursts() {
        Scenario scenario = Scenario.named("S25 adaptive parity, 2 % lost in bursts of 5").only(Variant.FEC)
            .allowShareAbove(UNRECOVERABLE, MAX_UNRECOVERABLE_PERCENT, BURSTS_SHARE, BURSTS_WORST_PERCENT)
            .allowShareAbove(RETRANSMISSIONS, MAX_RETRANSMISSIONS_WITH_BURSTS, BURSTS_RETRANSMISSIONS_SHARE, BURSTS_WORST_RETRANSMISSIONS);
        scenario.forEachSeed(seed -> {
            Result result = run(scenario, seed, UP_TO_12, each -> LossModel.bursts(5, 0.02, IDLE_STEP_MS, each));
            result.record(scenario);
            scenario.assertAtMost("changes in the last 45 s", result.trace.changes(CONVERGED_AT_MS, DURATION_MS), 8);
        });
    }

    @Test
    void parityReturnsToItsMinimumAfterLoss() {
        Scenario scenario = Scenario.named("S25 adaptive parity, 10 % lost for 20 s").only(Variant.FEC);
        scenario.forEachSeed(seed -> {
            Result result = run(scenario, seed, UP_TO_6, each -> {
                LossModel loss = LossModel.independent(0.1, each);
                return (datagram, nowUs) -> nowUs < 20_000_000 && loss.drops(datagram, nowUs);
            });
            scenario.assertAtLeast("parity before", result.trace.parityAt(20_000), 4);
            scenario.assertAtMost("parity after 30 s", result.trace.parityAt(50_000), 1);
        });
    }

    private static Result run(Scenario scenario, long seed, FecConfig fec, LongFunction<LossModel> loss) {
        LinkProfile link = LinkProfile.broadband().loss(loss).build();
        try (KcpPair pair = scenario.pair(seed).fec(fec).configs(CONFIG).links(link).build()) {
            ParityTrace trace = new ParityTrace(fec.shape());
            pair.linkFromA().addObserver(trace::onSent);
            pair.sendPeriodicallyFromA(TransferPlan.ofMessages(seed, MESSAGES, MESSAGE_BYTES), INTERVAL_MS);
            pair.assertCompletes(2 * DURATION_MS);
            return new Result(trace, pair.a().kcp().stats().retransmissions());
        }
    }

    private record Result(ParityTrace trace, long retransmissions) {

        private double unrecoverablePercent() {
            return 100.0 * trace.unrecoverable(CONVERGED_AT_MS, DURATION_MS) / trace.groups(CONVERGED_AT_MS, DURATION_MS);
        }

        private void record(Scenario scenario) {
            scenario.record("parity", trace.meanParity(CONVERGED_AT_MS, DURATION_MS));
            scenario.record(UNRECOVERABLE, unrecoverablePercent());
            scenario.record(RETRANSMISSIONS, retransmissions);
        }
    }
}

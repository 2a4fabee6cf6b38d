package io.kcp.testkit;

import io.kcp.core.CongestionAlgorithm;
import io.kcp.core.KcpConfig;
import io.kcp.core.KcpOutput;
import io.kcp.core.conversation.Kcp;
import io.kcp.core.conversation.KcpInternals;
import io.kcp.core.fec.FecInternals;
import io.netty.buffer.ByteBufAllocator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests clock jumps, frozen processes, sequence number wraparound (S10 and S11 of the scenario table) and determinism. */
class ScenarioClockTest {

    private static final LinkProfile TEN_MEGABITS = LinkProfile.builder().rateBitsPerSecond(10_000_000).queueDatagrams(100)
        .delayMs(25).build();
    private static final LinkProfile ROUGH = LinkProfile.broadband().jitterMs(30, false).duplicateProbability(0.02)
        .loss(seed -> LossModel.independent(0.05, seed)).build();

    /** S10: size of a clock jump. */
    private static final int S10_JUMP_MS = 3_600_000;
    /** S10: time for which a process is frozen. */
    private static final int S10_FREEZE_MS = 5_000;
    /** S11: first sequence number, chosen so that the sequence numbers wrap early in the transfer. */
    private static final int S11_FIRST_SN = -100;

    private static KcpConfig config(CongestionAlgorithm congestionControl) {
        return KcpConfig.fast().toBuilder().congestionControl(congestionControl).build();
    }

    @ParameterizedTest
    @CsvSource({"A, true, NONE", "A, false, NONE", "B, true, NONE", "B, false, NONE",
        "A, true, CUBIC", "A, false, CUBIC", "B, true, CUBIC", "B, false, CUBIC"})
    void clockJumpClosesNothing(String side, boolean forward, CongestionAlgorithm congestionControl) {
        Scenario scenario = Scenario.named("S10 clock of " + side + (forward ? " +" : " -") + "1 h, " + congestionControl);
        scenario.forEachSeed(seed -> {
            try (KcpPair pair = scenario.pair(seed).configs(config(congestionControl)).links(TEN_MEGABITS).build()) {
                start(pair, seed);
                (side.equals("A") ? pair.a() : pair.b()).jumpClock(forward ? S10_JUMP_MS : -S10_JUMP_MS);
                expectSteadyTraffic(scenario, pair);
            }
        });
    }

    @ParameterizedTest
    @CsvSource({"A, NONE", "B, NONE", "AB, NONE", "A, CUBIC", "B, CUBIC", "AB, CUBIC"})
    @Tag("slow")
    void suspendedProcessClosesNothing(String sides, CongestionAlgorithm congestionControl) {
        Scenario scenario = Scenario.named("S10 " + sides + " frozen for 5 s, " + congestionControl);
        scenario.forEachSeed(seed -> {
            try (KcpPair pair = scenario.pair(seed).configs(config(congestionControl)).links(TEN_MEGABITS).build()) {
                start(pair, seed);
                if (sides.contains("A")) {
                    pair.a().freeze(S10_FREEZE_MS);
                }
                if (sides.contains("B")) {
                    pair.b().freeze(S10_FREEZE_MS);
                }
                expectSteadyTraffic(scenario, pair);
            }
        });
    }

    private static void start(KcpPair pair, long seed) {
        pair.sendFromA(3_000_000);
        pair.sendFromB(200_000);
        // The transfers take 2.4 s, so the clock jumps at any time of them.
        pair.runForMs(300 + seed % 100 * 17);
        pair.a().sent().resetLargestBurst();
    }

    private static void expectSteadyTraffic(Scenario scenario, KcpPair pair) {
        double largestWindow = 0;
        for (int i = 0; i < 1_000; i++) {
            largestWindow = Math.max(largestWindow, KcpInternals.congestionWindow(pair.a().kcp()));
            pair.runForMs(10);
            largestWindow = Math.max(largestWindow, KcpInternals.congestionWindow(pair.a().kcp()));
        }
        scenario.record("largest window", largestWindow);
        scenario.assertAtMost("largest burst", pair.a().sent().largestBurst(), largestWindow);
        pair.assertCompletes(60_000);
        scenario.record("longest pause ms", pair.b().application().longestReadPauseMs());
    }

    @ParameterizedTest
    @EnumSource
    @Tag("slow")
    void wrapOfNumbersChangesNothing(CongestionAlgorithm congestionControl) {
        Scenario scenario = Scenario.named("S11 sn from 2^32-100, " + congestionControl);
        scenario.forEachSeed(seed -> {
            long fromZero = trace(roughPair(scenario, seed, congestionControl).firstSns(0, 0, ScenarioClockTest::create));
            long wrapping = trace(roughPair(scenario, seed, congestionControl).firstSns(S11_FIRST_SN, S11_FIRST_SN + 7,
                ScenarioClockTest::create));
            long changingSign = trace(roughPair(scenario, seed, congestionControl).firstSns(Integer.MAX_VALUE - 50, Integer.MAX_VALUE - 90,
                ScenarioClockTest::create));
            long seqidsWrapping = trace(roughPair(scenario, seed, congestionControl).firstSns(0, 0, ScenarioClockTest::create)
                .fecEncoders(FecInternals::encoderBeforeWrap));
            expectSame(fromZero, seqidsWrapping, "FEC seqid across its wrap");
            expectSame(fromZero, wrapping, "sn across 2^32");
            expectSame(fromZero, changingSign, "sn across 2^31");
        });
    }

    @ParameterizedTest
    @EnumSource
    void wrapOfTimesChangesNothing(CongestionAlgorithm congestionControl) {
        Scenario scenario = Scenario.named("S11 ts and clock across their wraps, " + congestionControl);
        scenario.forEachSeed(seed -> {
            long plain = trace(roughPair(scenario, seed, congestionControl).clocks(5_000, 70_000).timestampBases(0, 0));
            long clockWraps = trace(roughPair(scenario, seed, congestionControl).clocks(-150, -200).timestampBases(0, 0));
            long clockChangesSign = trace(roughPair(scenario, seed, congestionControl).clocks(Integer.MAX_VALUE - 200, Integer.MAX_VALUE)
                .timestampBases(0, 0));
            long tsWraps = trace(roughPair(scenario, seed, congestionControl).clocks(0, 0).timestampBases(-170, Integer.MAX_VALUE - 130));
            expectSame(plain, clockWraps, "clock across 2^32");
            expectSame(plain, clockChangesSign, "clock across 2^31");
            expectSame(plain, tsWraps, "ts across its wrap");
        });
    }

    @Test
    @Tag("slow")
    void sameSeedGivesTheSameRun() {
        Scenario scenario = Scenario.named("Determinism");
        scenario.forEachSeed(seed -> {
            for (CongestionAlgorithm congestionControl : CongestionAlgorithm.values()) {
                long first = rawTrace(roughPair(scenario, seed, congestionControl));
                expectSame(first, rawTrace(roughPair(scenario, seed, congestionControl)), "repetition");
                if (first == rawTrace(roughPair(scenario, seed + 1_000_000, congestionControl))) {
                    throw new AssertionError("another seed gave the same run");
                }
            }
        });
    }

    private static Kcp create(EndpointSettings settings, KcpOutput output, ByteBufAllocator allocator) {
        return KcpInternals.create(settings.conv(), settings.config(), output, allocator, settings.timestampBase(), settings.clockMs(),
            settings.firstSendSn(), settings.firstReceiveSn());
    }

    private static KcpPairBuilder roughPair(Scenario scenario, long seed, CongestionAlgorithm congestionControl) {
        return scenario.pair(seed).configs(config(congestionControl)).links(ROUGH);
    }

    private static long trace(KcpPairBuilder builder) {
        try (KcpPair pair = builder.build()) {
            transfer(pair);
            return pair.relativeTraceHash();
        }
    }

    private static long rawTrace(KcpPairBuilder builder) {
        try (KcpPair pair = builder.build()) {
            transfer(pair);
            return pair.traceHash();
        }
    }

    private static void transfer(KcpPair pair) {
        pair.sendFromA(300_000);
        pair.sendFromB(200_000);
        pair.assertCompletes(120_000);
    }

    private static void expectSame(long expected, long actual, String what) {
        if (expected != actual) {
            throw new AssertionError(what + ": the run differs");
        }
    }
}

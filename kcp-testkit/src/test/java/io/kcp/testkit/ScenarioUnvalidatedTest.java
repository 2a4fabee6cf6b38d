package io.kcp.testkit;

import io.kcp.core.KcpConfig;
import io.kcp.core.KcpTransferMode;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests a short request with a long reply while the amplification limit is active. */
class ScenarioUnvalidatedTest {

    private static final int REQUEST_BYTES = 30;
    private static final int REPLY_BYTES = 100_000;
    private static final int LIMIT_MS = 120_000;
    private static final int MAX_FACTOR = 3;
    private static final int LOSS_PERCENT = 10;

    static Stream<Arguments> repliesAndModes() {
        return Stream.of(KcpTransferMode.MESSAGE, KcpTransferMode.STREAM).flatMap(mode -> Stream.of(0, 100, 1_000)
            .flatMap(delayMs -> Stream.of(KcpConfig.kcpGoCompatible(), KcpConfig.fast3())
                .map(config -> Arguments.of(mode, delayMs, config.toBuilder().mode(mode).build()))));
    }

    private static LinkProfile lossy() {
        return LinkProfile.broadband().loss(seed -> LossModel.independent(LOSS_PERCENT / 100.0, seed)).build();
    }

    private static void assertWithinLimit(KcpPair pair, boolean limited) {
        long received = pair.b().kcp().stats().wireBytesIn();
        long sent = pair.b().kcp().stats().wireBytesOut();
        if (limited && !pair.b().kcp().isPeerValidated() && sent > MAX_FACTOR * received) {
            throw new AssertionError("sent " + sent + " bytes after receiving only " + received);
        }
    }

    /** Runs until the request has been read, waits, sends the reply, and checks the limit after every event. */
    private static long run(KcpPair pair, boolean limited, int delayMs) {
        pair.sendFromA(TransferPlan.ofMessages(1, 1, REQUEST_BYTES));
        pair.runUntil(() -> {
            assertWithinLimit(pair, limited);
            return pair.b().application().readBytes() == REQUEST_BYTES;
        }, LIMIT_MS);
        pair.runUntil(() -> {
            assertWithinLimit(pair, limited);
            return false;
        }, delayMs);
        pair.sendFromB(new TransferPlan(2, REPLY_BYTES, 1, 40_000));
        pair.runUntil(() -> {
            assertWithinLimit(pair, limited);
            return pair.b().kcp().isPeerValidated() || pair.b().closedAtMs() >= 0;
        }, LIMIT_MS);
        return pair.assertCompletes(LIMIT_MS);
    }

    @ParameterizedTest
    @MethodSource("repliesAndModes")
    void longReplyToShortRequestCompletesUnderLoss(KcpTransferMode mode, int delayMs, KcpConfig config) {
        Scenario scenario = Scenario.named("T3 reply of 100 KB after " + delayMs + " ms, " + mode + ", no delay " + config.noDelay());
        scenario.forEachSeed(seed -> {
            try (KcpPair pair = scenario.pair(seed).configs(config).links(lossy()).limitedB().build()) {
                scenario.record("ms", run(pair, true, delayMs));
            }
        });
    }

    @Test
    void limitDelaysALongReplyByOneRoundTrip() {
        LinkProfile link = LinkProfile.broadband().build();
        long[] elapsedMs = new long[2];
        for (int limited = 0; limited < 2; limited++) {
            KcpPairBuilder builder = KcpPair.builder(1).configs(KcpConfig.fast3()).links(link);
            try (KcpPair pair = (limited == 0 ? builder : builder.limitedB()).build()) {
                elapsedMs[limited] = run(pair, limited == 1, 0);
            }
        }
        int roundTripMs = 60;
        Scenario.named("T3 delay").assertAtMost("added ms", elapsedMs[1] - elapsedMs[0], roundTripMs);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 30, 500})
    void shortReplyIsNotDelayed(int replyBytes) {
        long[] elapsedMs = new long[2];
        for (int limited = 0; limited < 2; limited++) {
            KcpPairBuilder builder = KcpPair.builder(1).configs(KcpConfig.fast3()).links(LinkProfile.broadband().build());
            try (KcpPair pair = (limited == 0 ? builder : builder.limitedB()).build()) {
                pair.sendFromA(TransferPlan.ofMessages(1, 1, replyBytes));
                pair.runUntil(() -> pair.b().application().readBytes() == replyBytes, LIMIT_MS);
                pair.sendFromB(TransferPlan.ofMessages(2, 1, replyBytes));
                pair.runUntil(() -> pair.a().application().readBytes() == replyBytes, LIMIT_MS);
                elapsedMs[limited] = pair.nowMs();
                pair.assertCompletes(LIMIT_MS);
            }
        }
        Scenario.named("T3 short reply").assertAtMost("ms", elapsedMs[1], elapsedMs[0]);
    }

    @Test
    void receiveOnlySessionNeedsNoValidation() {
        Scenario scenario = Scenario.named("T3 upload of 2 MB");
        scenario.forSomeSeeds(5, seed -> {
            try (KcpPair pair = scenario.pair(seed).configs(KcpConfig.fast3()).links(lossy()).limitedB().build()) {
                pair.sendFromA(2_000_000);
                scenario.record("ms", pair.assertCompletes(LIMIT_MS));
            }
        });
    }

    @Test
    void uploadWithCongestionControlCompletes() {
        Scenario scenario = Scenario.named("T3 upload of 200 KB, congestion control of kcp-go");
        scenario.forSomeSeeds(5, seed -> {
            try (KcpPair pair = scenario.pair(seed).configs(KcpConfig.normal()).links(lossy()).limitedB().build()) {
                pair.sendFromA(200_000);
                scenario.record("ms", pair.assertCompletes(LIMIT_MS));
            }
        });
    }

    @Test
    void bothDirectionsCompleteUnderLoss() {
        Scenario scenario = Scenario.named("T3 both directions");
        scenario.forSomeSeeds(5, seed -> {
            try (KcpPair pair = scenario.pair(seed).configs(KcpConfig.fast3()).links(lossy()).limitedB().build()) {
                pair.sendFromA(200_000);
                pair.sendFromB(200_000);
                scenario.record("ms", pair.assertCompletes(LIMIT_MS));
            }
        });
    }
}

package io.kcp.testkit;

import io.kcp.core.KcpConfig;
import io.kcp.core.KcpTransferMode;
import io.kcp.core.LinkState;
import io.kcp.core.SegmentHeader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests applications that stop reading (S15 and S16 of the scenario table). */
class ScenarioWindowTest {

    private static final int RTT_MS = 50;
    private static final long ONE_MEGABYTE = 1_000_000;

    /** S15: maximum time from the resumption of reading to the next datagram with data, in addition to the round trip. */
    private static final int S15_MAX_RESUME_MS = 5_000;
    /** S16: time for which the reader pauses. */
    private static final int S16_PAUSE_MS = 45_000;
    /** S16: time after which a sender gives up if the peer never reads: {@link KcpConfig#zeroWindowTimeoutMs()}. */
    private static final int S16_REFUSED_MS = 60_000;
    /** S16: additional time to fill the windows and to detect that the peer does not read. */
    private static final int S16_REFUSED_TOLERANCE_MS = 1_000;

    private static KcpConfig config(KcpTransferMode mode) {
        return KcpConfig.fast().toBuilder().mode(mode).build();
    }

    @ParameterizedTest
    @EnumSource
    void lostWindowAnnouncementDelaysUntilTheNextProbe(KcpTransferMode mode) {
        Scenario scenario = Scenario.named("S15 zero window, first WINS after it lost, " + mode);
        scenario.forEachSeed(seed -> {
            // The shortest pause ends before the first probe, and the longest pause reaches the maximum probe interval.
            int pauseMs = 400 + (int) (seed * 997 % 40_000);
            // The window is announced when reading resumes. The response to a probe at that time may be the same datagram.
            LinkProfile back = LinkProfile.broadband()
                .loss(ignored -> LossModel.blackhole(pauseMs, pauseMs + 1)).build();
            try (KcpPair pair = scenario.pair(seed).configs(config(mode)).links(LinkProfile.broadband().build(), back).build()) {
                pair.b().application().reading(false);
                pair.sendFromA(ONE_MEGABYTE);
                pair.runForMs(pauseMs);
                if (pair.a().kcp().remoteWindow() != 0) {
                    throw new AssertionError("the window did not close");
                }
                long segments = pair.a().sent().segments();
                pair.b().application().reading(true);
                pair.runUntil(() -> pair.a().sent().segments() > segments, 2 * S15_MAX_RESUME_MS);
                scenario.assertAtMost("resumed after ms", pair.nowMs() - pauseMs, S15_MAX_RESUME_MS + RTT_MS);
                scenario.record("seconds", pair.assertCompletes(60_000) / 1000.0);
            }
        });
    }

    @ParameterizedTest
    @EnumSource
    void announcedWindowIsUsedAtOnce(KcpTransferMode mode) {
        Scenario scenario = Scenario.named("S15 zero window, nothing lost, " + mode);
        scenario.forEachSeed(seed -> {
            int pauseMs = 400 + (int) (seed * 997 % 40_000);
            LinkProfile link = LinkProfile.broadband().build();
            try (KcpPair pair = scenario.pair(seed).configs(config(mode)).links(link).build()) {
                pair.b().application().reading(false);
                pair.sendFromA(ONE_MEGABYTE);
                pair.runForMs(pauseMs);
                long segments = pair.a().sent().segments();
                pair.b().application().reading(true);
                pair.runUntil(() -> pair.a().sent().segments() > segments, 2 * S15_MAX_RESUME_MS);
                scenario.assertAtMost("resumed after ms", pair.nowMs() - pauseMs, RTT_MS);
                pair.assertCompletes(60_000);
            }
        });
    }

    @ParameterizedTest
    @EnumSource
    void pausedReaderLosesNothingAndHoldsLittle(KcpTransferMode mode) {
        LinkProfile link = LinkProfile.broadband().loss(seed -> LossModel.independent(0.05, seed)).build();
        Scenario scenario = Scenario.named("S16 reader pauses for 45 s at 5 % loss, " + mode);
        scenario.forEachSeed(seed -> {
            KcpConfig config = config(mode);
            try (KcpPair pair = scenario.pair(seed).configs(config).links(link).build()) {
                pair.sendFromA(2 * ONE_MEGABYTE);
                pair.runForMs(60 + seed % 100 * 3);
                pair.b().application().reading(false);
                pair.runForMs(S16_PAUSE_MS);
                long probes = pair.a().sent().probes();
                pair.b().application().reading(true);
                pair.assertCompletes(60_000);
                scenario.record("probes", probes);
                expectBoundedMemory(scenario, pair, config);
            }
        });
    }

    @Test
    void readerThatNeverReadsIsClosed() {
        LinkProfile link = LinkProfile.broadband().build();
        Scenario scenario = Scenario.named("S16 reader never reads");
        scenario.forEachSeed(seed -> {
            KcpConfig config = config(KcpTransferMode.MESSAGE);
            try (KcpPair pair = scenario.pair(seed).configs(config).links(link).build()) {
                pair.b().application().reading(false);
                pair.sendFromA(ONE_MEGABYTE);
                pair.runUntil(() -> pair.a().closedAtMs() >= 0, 3 * S16_REFUSED_MS);
                pair.assertIntact();
                if (pair.a().linkState() != LinkState.PEER_NOT_READING) {
                    throw new AssertionError("link state " + pair.a().linkState());
                }
                scenario.assertAtLeast("gave up after ms", pair.a().closedAtMs(), S16_REFUSED_MS);
                scenario.assertAtMost("gave up after ms", pair.a().closedAtMs(), S16_REFUSED_MS + S16_REFUSED_TOLERANCE_MS);
                expectBoundedMemory(scenario, pair, config);
            }
        });
    }

    /** Size of one send window, the write that exceeds it, at most two receive windows, and the data in flight. */
    private static void expectBoundedMemory(Scenario scenario, KcpPair pair, KcpConfig config) {
        int segmentsOfOneWrite = 8_000 / (config.mtuBytes() - SegmentHeader.LENGTH) + 1;
        scenario.assertAtMost("waiting segments", pair.a().application().mostWaitingSegments(), config.sendWindow() + segmentsOfOneWrite);
        long budgetBytes = (config.sendWindow() + segmentsOfOneWrite + 2L * config.receiveWindow()) * config.mtuBytes()
            + 2L * config.sendWindow() * config.mtuBytes();
        scenario.assertAtMost("peak bytes", pair.buffers().peakBytes(), budgetBytes);
    }
}

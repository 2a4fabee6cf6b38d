package io.kcp.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.CongestionAlgorithm;
import io.kcp.core.KcpConfig;
import io.kcp.core.KcpTransferMode;
import io.kcp.core.LinkState;
import io.kcp.core.SegmentHeader;
import io.netty.buffer.ByteBuf;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the search for a larger MTU on paths of different MTUs, with losses, and on paths whose MTU shrinks. */
class ScenarioMtuSearchTest {

    private static final LinkProfile LINK = LinkProfile.builder().rateBitsPerSecond(5_000_000).queueDatagrams(100).delayMs(25).build();
    private static final KcpConfig PLAIN = KcpConfig.fast3().toBuilder().mode(KcpTransferMode.STREAM)
        .congestionControl(CongestionAlgorithm.CUBIC).build();
    private static final KcpConfig SEARCHING = PLAIN.toBuilder().mtuSearchLimitBytes(KcpConfig.MAX_MTU_BYTES).build();
    private static final int BYTES = 10_000_000;
    /** Share of the searches that losses end before the MTU of the path is found. */
    private static final double MISSED_SEARCHES = 0.05;
    private static final long SHRINKS_AT_US = 10_000_000;

    private static int mtuBytes(KcpPair pair) {
        return pair.a().kcp().mssBytes() + SegmentHeader.LENGTH;
    }

    @ParameterizedTest
    @CsvSource({"1400, 1400", "1430, 1420", "1452, 1452", "1472, 1472", "1500, 1500", "9000, 1500"})
    void searchFindsTheMtuOfThePath(int pathBytes, int expectedBytes) {
        LinkProfile link = LINK.toBuilder().mtuBytes(pathBytes).build();
        try (KcpPair pair = KcpPair.builder(1).configs(SEARCHING, PLAIN).links(link).build()) {
            pair.sendFromA(BYTES);
            pair.assertCompletes(60_000);
            assertThat(mtuBytes(pair)).isEqualTo(expectedBytes);
            assertThat(pair.a().kcp().stats().mtuProbes()).isBetween(2L, 15L);
            assertThat(pair.a().kcp().stats().mtuReductions()).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(doubles = {0.01, 0.1})
    @Tag("slow")
    void lossyPathDoesNotHideItsMtu(double loss) {
        KcpConfig bbr = SEARCHING.toBuilder().congestionControl(CongestionAlgorithm.BBR).build();
        LinkProfile link = LINK.toBuilder().mtuBytes(1_472).lossProbability(loss).build();
        Scenario scenario = Scenario.named("MTU search with loss " + loss).only(Variant.PLAIN)
            .allowShareBelow("found MTU", 1_472, MISSED_SEARCHES, 1_400);
        scenario.forEachSeed(seed -> {
            try (KcpPair pair = KcpPair.builder(seed).configs(bbr).links(link).build()) {
                pair.sendFromA(BYTES);
                pair.assertCompletes(120_000);
                assertThat(mtuBytes(pair)).isBetween(1_400, 1_472);
                assertThat(pair.a().kcp().stats().mtuReductions()).isZero();
                scenario.record("found MTU", mtuBytes(pair));
            }
        });
    }

    /** All probes are lost, because the path supports only the configured MTU. */
    @Test
    void lostProbesCauseNoRetransmissions() {
        KcpConfig searching = withoutLoss(SEARCHING);
        LinkProfile link = LINK.toBuilder().mtuBytes(1_400).build();
        long plainMs = transferMs(withoutLoss(PLAIN), link, 0);
        long searchingMs = transferMs(searching, link, 12);
        assertThat(searchingMs).isLessThanOrEqualTo(plainMs + plainMs / 100);
    }

    private static KcpConfig withoutLoss(KcpConfig config) {
        return config.toBuilder().congestionControl(CongestionAlgorithm.NONE).windows(64).build();
    }

    private static long transferMs(KcpConfig config, LinkProfile link, int expectedProbes) {
        try (KcpPair pair = KcpPair.builder(1).configs(config).links(link).build()) {
            pair.sendFromA(BYTES);
            long elapsedMs = pair.assertCompletes(60_000);
            assertThat(pair.a().kcp().stats().retransmissions()).isZero();
            assertThat(pair.a().kcp().stats().mtuProbes()).isEqualTo(expectedProbes);
            return elapsedMs;
        }
    }

    private static boolean isMtuProbe(ByteBuf datagram) {
        return datagram.readableBytes() > 3 * SegmentHeader.LENGTH
            && SegmentHeader.cmd(datagram, datagram.readerIndex()) == SegmentHeader.CMD_WASK;
    }

    @Test
    void sessionSurvivesAPathThatShrinksAndFragments() {
        LinkProfile link = LINK.toBuilder().loss(seed -> (datagram, nowUs) -> nowUs >= SHRINKS_AT_US
            && datagram.readableBytes() > 1_300 && isMtuProbe(datagram)).build();
        try (KcpPair pair = KcpPair.builder(1).configs(SEARCHING).links(link).build()) {
            pair.sendFromA(BYTES);
            pair.runForMs(SHRINKS_AT_US / 1_000);
            assertThat(mtuBytes(pair)).isEqualTo(KcpConfig.MAX_MTU_BYTES);
            pair.assertCompletes(60_000);
            assertThat(pair.a().kcp().stats().mtuReductions()).isZero();
        }
    }

    /** Segments in flight cannot be split, so the session ends, as it does without a search if the path drops the configured MTU. */
    @Test
    void pathThatDropsLargeDatagramsReducesTheMtu() {
        LinkProfile link = LINK.toBuilder()
            .loss(seed -> (datagram, nowUs) -> nowUs >= SHRINKS_AT_US && datagram.readableBytes() > 1_300).build();
        Scenario.named("MTU search, path shrinks").only(Variant.PLAIN).forEachSeed(seed -> {
            try (KcpPair pair = KcpPair.builder(seed).configs(SEARCHING).links(link).build()) {
                pair.sendFromA(BYTES);
                pair.runForMs(SHRINKS_AT_US / 1_000);
                assertThat(mtuBytes(pair)).isEqualTo(KcpConfig.MAX_MTU_BYTES);
                pair.runUntil(() -> pair.a().kcp().stats().mtuReductions() == 1, 25_000);
                assertThat(mtuBytes(pair)).isEqualTo(KcpConfig.FALLBACK_MTU_BYTES);
                long probes = pair.a().kcp().stats().mtuProbes();
                pair.runUntil(() -> pair.a().closedAtMs() >= 0, 60_000);
                assertThat(pair.a().linkState()).isEqualTo(LinkState.PEER_TIMEOUT);
                assertThat(pair.a().kcp().stats().mtuProbes()).isEqualTo(probes);
            }
        });
    }

    @Test
    void interactiveSessionSearchesToo() {
        KcpConfig messages = SEARCHING.toBuilder().mode(KcpTransferMode.MESSAGE).build();
        LinkProfile link = LINK.toBuilder().mtuBytes(1_472).build();
        try (KcpPair pair = KcpPair.builder(1).configs(messages).links(link).build()) {
            for (int i = 0; i < 200; i++) {
                ByteBuf message = pair.buffers().buffer(100).writeZero(100);
                pair.a().kcp().send(message, pair.a().nowMs());
                pair.a().kcp().flush(pair.a().nowMs());
                pair.runForMs(50);
            }
            assertThat(mtuBytes(pair)).isEqualTo(1_472);
        }
    }
}

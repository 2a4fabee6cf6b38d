package io.kcp.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.KcpConfig;
import io.kcp.core.KcpTransferMode;
import io.kcp.core.LinkState;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests paths that lose large datagrams, and paths that lose datagrams regardless of their size. */
class ScenarioMtuTest {

    private static final LinkProfile LINK = LinkProfile.builder().rateBitsPerSecond(20_000_000).queueDatagrams(200).delayMs(25).build();
    private static final LinkProfile SMALL_MTU = LINK.toBuilder().mtuBytes(1_300).build();
    private static final KcpConfig MESSAGES = KcpConfig.fast3();
    private static final KcpConfig STREAM = KcpConfig.fast3().toBuilder().mode(KcpTransferMode.STREAM).build();
    private static final int LARGE_BYTES = MESSAGES.mtuBytes() - 24;
    private static final int DEAD_PEER_MS = 30_000;
    /** Share of the runs with rare large messages in which losses reduce the MTU. */
    private static final double RARE_REDUCTIONS = 0.01;

    private static void send(KcpPair pair, int bytes) {
        ByteBuf message = Unpooled.buffer(bytes).writeZero(bytes);
        pair.a().kcp().send(message, pair.a().nowMs());
        pair.a().kcp().flush(pair.a().nowMs());
    }

    @Test
    void mtuIsReducedIfLargeDatagramsAreLostAndSmallOnesArrive() {
        Scenario.named("MTU 1300, small messages and one large message").only(Variant.PLAIN).forEachSeed(seed -> {
            try (KcpPair pair = KcpPair.builder(seed).configs(MESSAGES).links(SMALL_MTU).build()) {
                send(pair, 10);
                pair.runForMs(200);
                send(pair, LARGE_BYTES);
                for (int i = 0; i < 300 && pair.a().kcp().stats().mtuReductions() == 0; i++) {
                    send(pair, 10);
                    pair.runForMs(30);
                }
                assertThat(pair.nowMs()).isLessThan(8_000);
                assertThat(pair.a().kcp().mssBytes()).isEqualTo(KcpConfig.FALLBACK_MTU_BYTES - 24);
            }
        });
    }

    @Test
    void mtuIsReducedIfTheApplicationSendsOnlyLargeDatagrams() {
        Scenario.named("MTU 1300, bulk transfer").only(Variant.PLAIN).forEachSeed(seed -> {
            try (KcpPair pair = KcpPair.builder(seed).configs(STREAM).links(SMALL_MTU).build()) {
                send(pair, 10);
                pair.runForMs(200);
                pair.sendFromA(1_000_000);
                pair.runUntil(() -> pair.a().kcp().stats().mtuReductions() == 1, 12_000);
                assertThat(pair.a().kcp().stats().mtuReductions()).isEqualTo(1);
            }
        });
    }

    @Test
    void laterStreamBytesUseTheReducedMtu() {
        try (KcpPair pair = KcpPair.builder(1).configs(STREAM).links(SMALL_MTU).build()) {
            pair.a().kcp().onDatagramTooLarge();
            pair.sendFromA(1_000_000);
            pair.assertCompletes(5_000);
        }
    }

    @Test
    void otherSettingsDoNotRestoreTheMtu() {
        try (KcpPair pair = KcpPair.builder(1).configs(STREAM).links(SMALL_MTU).build()) {
            pair.a().kcp().onDatagramTooLarge();
            send(pair, 10);
            pair.a().kcp().reconfigure(STREAM.toBuilder().deadPeerTimeoutMs(20_000).build());
            assertThat(pair.a().kcp().mssBytes()).isEqualTo(KcpConfig.FALLBACK_MTU_BYTES - 24);
            pair.a().kcp().reconfigure(STREAM.toBuilder().mtuBytes(1_300).build());
            assertThat(pair.a().kcp().mssBytes()).isEqualTo(1_300 - 24);
        }
    }

    @Test
    void sessionWithAStuckSegmentEndsAfterTheDeadPeerTimeout() {
        try (KcpPair pair = KcpPair.builder(1).configs(MESSAGES).links(SMALL_MTU).build()) {
            send(pair, 10);
            pair.runForMs(200);
            send(pair, LARGE_BYTES);
            while (pair.a().closedAtMs() < 0 && pair.nowMs() < 2 * DEAD_PEER_MS) {
                send(pair, 10);
                pair.runForMs(500);
            }
            assertThat(pair.a().linkState()).isEqualTo(LinkState.PEER_TIMEOUT);
            assertThat(pair.a().closedAtMs()).isBetween((long) DEAD_PEER_MS, DEAD_PEER_MS + 12_000L);
        }
    }

    @Test
    void fallbackCanBeDisabled() {
        KcpConfig fixed = STREAM.toBuilder().mtuFallback(false).build();
        try (KcpPair pair = KcpPair.builder(1).configs(fixed).links(SMALL_MTU).build()) {
            send(pair, 10);
            pair.runForMs(200);
            pair.sendFromA(100_000);
            pair.runForMs(10_000);
            assertThat(pair.a().kcp().stats().mtuReductions()).isZero();
            assertThat(pair.a().kcp().mssBytes()).isEqualTo(LARGE_BYTES);
        }
    }

    @ParameterizedTest
    @ValueSource(doubles = {0.01, 0.1, 0.3})
    void randomLossDoesNotReduceTheMtu(double loss) {
        LinkProfile link = LINK.toBuilder().lossProbability(loss).build();
        Scenario.named("MTU with loss " + loss).only(Variant.PLAIN).forEachSeed(seed -> {
            try (KcpPair pair = KcpPair.builder(seed).configs(STREAM).links(link).build()) {
                pair.sendFromA(1_000_000);
                pair.assertCompletes(60_000);
                assertThat(pair.a().kcp().stats().mtuReductions()).isZero();
            }
        });
    }

    /**
     * A large datagram resets the number of counted losses only when it arrives, and here large datagrams are rare. With a loss of 30 %,
     * six of them were lost in a row in 6 of 1,000 runs, so one run in a hundred may reduce the MTU.
     */
    @ParameterizedTest
    @ValueSource(doubles = {0.1, 0.2, 0.3})
    void randomLossOfRareLargeMessagesHardlyEverReducesTheMtu(double loss) {
        LinkProfile link = LINK.toBuilder().lossProbability(loss).build();
        Scenario scenario = Scenario.named("MTU, small messages and a few large ones, with loss " + loss).only(Variant.PLAIN)
            .allowShareAbove("MTU reductions", 0, RARE_REDUCTIONS, 1);
        scenario.forEachSeed(seed -> {
            try (KcpPair pair = KcpPair.builder(seed).configs(MESSAGES).links(link).build()) {
                for (int i = 0; i < 4_000; i++) {
                    send(pair, i % 20 == 0 ? LARGE_BYTES : 10);
                    pair.runForMs(30);
                }
                scenario.record("MTU reductions", pair.a().kcp().stats().mtuReductions());
            }
        });
    }

    @ParameterizedTest
    @ValueSource(doubles = {0.05, 0.1, 0.2})
    void mtuIsReducedOnALossyPath(double loss) {
        LinkProfile link = SMALL_MTU.toBuilder().lossProbability(loss).build();
        Scenario.named("MTU 1300 with loss " + loss).only(Variant.PLAIN).forEachSeed(seed -> {
            try (KcpPair pair = KcpPair.builder(seed).configs(MESSAGES).links(link).build()) {
                send(pair, 10);
                pair.runForMs(1_000);
                send(pair, LARGE_BYTES);
                for (int i = 0; i < 1_000 && pair.a().kcp().stats().mtuReductions() == 0; i++) {
                    send(pair, 10);
                    pair.runForMs(30);
                }
                assertThat(pair.a().kcp().stats().mtuReductions()).isEqualTo(1);
                assertThat(pair.nowMs()).isLessThan(25_000);
            }
        });
    }

    @Test
    void outagesDoNotReduceTheMtu() {
        LinkProfile link = LINK.toBuilder().loss(seed -> LossModel.periodicBlackhole(2_000, 1_500)).build();
        Scenario.named("MTU with outages").only(Variant.PLAIN).forEachSeed(seed -> {
            try (KcpPair pair = KcpPair.builder(seed).configs(STREAM).links(link).build()) {
                pair.sendFromA(5_000_000);
                pair.assertCompletes(120_000);
                assertThat(pair.a().kcp().stats().mtuReductions()).isZero();
            }
        });
    }
}

package io.kcp.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.KcpConfig;
import io.kcp.testkit.AutoTable.Cell;
import io.kcp.testkit.AutoTable.Result;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Compares {@link KcpConfig#auto()} with fixed settings over a part of the links of {@link AutoTable}, and with peers of fixed windows. */
class AutoTableTest {

    private static final long SEED = 1;
    private static final int SECONDS = 10;
    private static final int MESSAGES = 1_800;
    private static final long TRANSFER_BYTES = 3_000_000;

    @ParameterizedTest
    @CsvSource({"1, 10, 0", "1, 50, 0.05", "10, 50, 0", "10, 50, 0.05", "10, 300, 0.05"})
    @Tag("slow")
    void autoIsCloseToBestFixedSetting(long megabits, int rttMs, double loss) {
        Cell cell = new Cell(megabits, rttMs, loss);
        Result bulk = AutoTable.bulk(cell, KcpConfig.auto(), SEED, SECONDS);
        double bestGoodput = AutoTable.bulkSettings().stream()
            .mapToDouble(setting -> AutoTable.bulk(cell, setting.config(), SEED, SECONDS).goodputMbit()).max().orElseThrow();
        assertThat(bulk.goodputMbit()).as("goodput").isGreaterThanOrEqualTo(AutoTable.MIN_GOODPUT_RATIO * bestGoodput);
        Result game = AutoTable.game(cell, KcpConfig.auto(), SEED, MESSAGES);
        double bestP99Ms = AutoTable.gameSettings().stream()
            .mapToDouble(setting -> AutoTable.game(cell, setting.config(), SEED, MESSAGES).p99Ms()).min().orElseThrow();
        assertThat(game.p99Ms()).as("delivery time").isLessThanOrEqualTo(AutoTable.MAX_DELAY_RATIO * bestP99Ms);
        assertThat(Math.max(bulk.heldBytes(), game.heldBytes())).as("memory").isLessThanOrEqualTo(KcpConfig.auto().windowBudgetBytes());
    }

    @ParameterizedTest
    @CsvSource({"32, 0", "32, 0.05", "4, 0.05", "1024, 0.05"})
    void peerWithFixedWindowReceivesAndSends(int windowSegments, double loss) {
        LinkProfile link = LinkProfile.broadband().lossProbability(loss).build();
        KcpConfig fixed = KcpConfig.fast().toBuilder().windows(windowSegments).build();
        try (KcpPair pair = KcpPair.builder(SEED).configs(KcpConfig.auto(), fixed).links(link).build()) {
            TransferPlan plan = new TransferPlan(SEED, TRANSFER_BYTES, 1, 4_000);
            pair.sendFromA(plan);
            pair.sendFromB(plan);
            pair.assertCompletes(600_000);
        }
    }

    @Test
    void peerWithSettingsOfKcpGoReceivesAndSends() {
        LinkProfile link = LinkProfile.broadband().lossProbability(0.01).build();
        try (KcpPair pair = KcpPair.builder(SEED).configs(KcpConfig.auto(), KcpConfig.kcpGoCompatible()).links(link)
            .peers(PeerKind.THIS_LIBRARY, PeerKind.OTHER_KCP).build()) {
            pair.sendFromA(TRANSFER_BYTES);
            pair.sendFromB(TRANSFER_BYTES);
            pair.assertCompletes(600_000);
        }
    }
}

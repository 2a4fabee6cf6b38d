package io.kcp.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LossModelTest {

    private static final ByteBuf DATAGRAM = Unpooled.EMPTY_BUFFER;
    private static final int DATAGRAMS = 1_000_000;
    private static final long SEED = 7;

    @Test
    void everyNthRejectsNumbersBelowOne() {
        assertThatThrownBy(() -> LossModel.everyNth(0)).isInstanceOf(IllegalArgumentException.class).hasMessageContaining("n: 0");
    }

    @Test
    void independentLossHasItsRate() {
        LossModel model = LossModel.independent(0.1, SEED);
        assertThat(lossRate(model)).as("seed %d", SEED).isCloseTo(0.1, within(0.002));
    }

    @ParameterizedTest
    @CsvSource({"3, 0.05", "10, 0.15", "20, 0.10"})
    void burstsHaveTheirRateAndLength(double meanBurst, double lossRate) {
        LossModel model = LossModel.bursts(meanBurst, lossRate, 0, SEED);
        int lost = 0;
        int bursts = 0;
        boolean before = false;
        for (int i = 0; i < DATAGRAMS; i++) {
            boolean drops = model.drops(DATAGRAM, 0);
            lost += drops ? 1 : 0;
            bursts += drops && !before ? 1 : 0;
            before = drops;
        }
        assertThat((double) lost / DATAGRAMS).as("rate, seed %d", SEED).isCloseTo(lossRate, within(lossRate / 10));
        assertThat((double) lost / bursts).as("burst, seed %d", SEED).isCloseTo(meanBurst, within(meanBurst / 10));
    }

    @Test
    void timeEndsABurstThatNobodyMeets() {
        LossModel model = LossModel.bursts(20, 0.5, 10, SEED);
        long nowUs = 0;
        int inRow = 0;
        int mostInRow = 0;
        for (int i = 0; i < 10_000; i++, nowUs += 1_000_000) {
            inRow = model.drops(DATAGRAM, nowUs) ? inRow + 1 : 0;
            mostInRow = Math.max(mostInRow, inRow);
        }
        // Two datagrams are 100 steps apart, so each of them begins a separate burst with a probability of one in 20.
        assertThat(mostInRow).as("seed %d", SEED).isLessThanOrEqualTo(4);
    }

    @Test
    void scriptsAreFollowed() {
        assertThat(drops(LossModel.everyNth(3), 7)).isEqualTo("..x..x.");
        assertThat(drops(LossModel.scripted(4, 0, 5), 7)).isEqualTo("x...xx.");
        assertThat(drops(LossModel.first(2, datagram -> true), 4)).isEqualTo("xx..");
        assertThat(drops(LossModel.everyNth(2).or(LossModel.scripted(0)), 5)).isEqualTo("xx.x.");
        assertThat(drops(LossModel.blackhole(2, 4), 6)).isEqualTo("..xx..");
        assertThat(drops(LossModel.periodicBlackhole(2, 1), 7)).isEqualTo("..x..x.");
        assertThat(drops(LossModel.none(), 3)).isEqualTo("...");
    }

    /** One datagram per millisecond. */
    private static String drops(LossModel model, int datagrams) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < datagrams; i++) {
            text.append(model.drops(DATAGRAM, i * 1_000L) ? 'x' : '.');
        }
        return text.toString();
    }

    private static double lossRate(LossModel model) {
        int lost = 0;
        for (int i = 0; i < DATAGRAMS; i++) {
            lost += model.drops(DATAGRAM, 0) ? 1 : 0;
        }
        return (double) lost / DATAGRAMS;
    }
}

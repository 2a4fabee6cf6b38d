package io.kcp.core;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PacerTest {

    private static final KcpConfig CONFIG = KcpConfig.fast3().toBuilder().maxBytesPerSecond(1_000).build();

    private final Pacer pacer = pacer(CONFIG);

    @Test
    void overdrawnBucketRefillsWithTheRate() {
        pacer.refill(0);
        pacer.onSent(1_400 + 500);
        assertThat(pacer.mayPass()).isFalse();
        assertThat(pacer.msUntilPass(0)).isEqualTo(501);
        pacer.refill(501);
        assertThat(pacer.mayPass()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(ints = {1 << 30, Integer.MAX_VALUE, Integer.MIN_VALUE, -1_000_000, -1})
    void bucketIsFullAfterWeeksWithoutAFlush(int laterMs) {
        KcpConfig fast = CONFIG.toBuilder().maxBytesPerSecond(Integer.MAX_VALUE).build();
        for (KcpConfig config : new KcpConfig[] {CONFIG, fast}) {
            Pacer idle = pacer(config);
            idle.refill(0);
            idle.onSent(1_400 + 500);
            assertThat(idle.msUntilPass(laterMs)).isZero();
            idle.refill(laterMs);
            assertThat(idle.mayPass()).isTrue();
        }
    }

    private static Pacer pacer(KcpConfig config) {
        return Pacer.of(config, Pacer.UNLIMITED);
    }
}

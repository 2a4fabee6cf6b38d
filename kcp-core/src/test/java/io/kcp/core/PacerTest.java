package io.kcp.core;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PacerTest {

    private static final KcpConfig CONFIG = KcpConfig.fast3().toBuilder().maxBytesPerSecond(1_000).build();

    private final Pacer pacer = new Pacer();

    @Test
    void overdrawnBucketRefillsWithTheRate() {
        pacer.refill(0, CONFIG);
        pacer.onSent(1_400 + 500);
        assertThat(pacer.mayPass(CONFIG)).isFalse();
        assertThat(pacer.msUntilPass(0, CONFIG)).isEqualTo(501);
        pacer.refill(501, CONFIG);
        assertThat(pacer.mayPass(CONFIG)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(ints = {1 << 30, Integer.MAX_VALUE, Integer.MIN_VALUE, -1_000_000, -1})
    void bucketIsFullAfterWeeksWithoutAFlush(int laterMs) {
        KcpConfig fast = CONFIG.toBuilder().maxBytesPerSecond(Integer.MAX_VALUE).build();
        for (KcpConfig config : new KcpConfig[] {CONFIG, fast}) {
            Pacer idle = new Pacer();
            idle.refill(0, config);
            idle.onSent(1_400 + 500);
            assertThat(idle.msUntilPass(laterMs, config)).isZero();
            idle.refill(laterMs, config);
            assertThat(idle.mayPass(config)).isTrue();
        }
    }
}

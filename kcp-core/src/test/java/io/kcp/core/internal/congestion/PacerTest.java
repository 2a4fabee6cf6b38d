package io.kcp.core.internal.congestion;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PacerTest {

    private static final int MTU_BYTES = 1_400;

    @Test
    void overdrawnBucketRefillsWithTheRate() {
        Pacer pacer = pacer(1_000);
        pacer.refill(0, NoCongestionControl.INSTANCE);
        pacer.onSent(1_400 + 500);
        assertThat(pacer.mayPass()).isFalse();
        assertThat(pacer.msUntilPass(0)).isEqualTo(501);
        pacer.refill(501_000, NoCongestionControl.INSTANCE);
        assertThat(pacer.mayPass()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(longs = {1L << 30, 1L << 40, 1L << 62, Long.MAX_VALUE})
    void bucketIsFullAfterWeeksWithoutAFlush(long laterUs) {
        for (int bytesPerSecond : new int[] {1_000, Integer.MAX_VALUE}) {
            Pacer idle = pacer(bytesPerSecond);
            idle.refill(0, NoCongestionControl.INSTANCE);
            idle.onSent(1_400 + 500);
            assertThat(idle.msUntilPass(laterUs)).isZero();
            idle.refill(laterUs, NoCongestionControl.INSTANCE);
            assertThat(idle.mayPass()).isTrue();
        }
    }

    @Test
    void lowerOfLimitAndCongestionRateCounts() {
        assertThat(bytesPerSecond(pacer(1_000_000), paced(500_000))).isBetween(499_000L, 502_000L);
        assertThat(bytesPerSecond(pacer(500_000), paced(1_000_000))).isBetween(499_000L, 502_000L);
        assertThat(bytesPerSecond(pacer(0), paced(500_000))).isBetween(499_000L, 502_000L);
    }

    @Test
    void lateTimerReleasesOnlyTheBurst() {
        Pacer pacer = pacer(0);
        CongestionControl congestion = paced(1_000_000);
        send(pacer, 0, congestion);
        assertThat(send(pacer, 1_000_000, congestion)).as("bytes after one second without a flush").isBetween(4_000, 4_000 + MTU_BYTES);
    }

    @Test
    void rateWithinOneMillisecondIsMeasuredInMicroseconds() {
        Pacer pacer = pacer(0);
        CongestionControl congestion = paced(125_000_000);
        send(pacer, 0, congestion);
        int sent = 0;
        for (int us = 10; us <= 1_000; us += 10) {
            sent += send(pacer, us, congestion);
        }
        assertThat(sent).as("bytes in one millisecond at 1 Gbit/s").isBetween(124_000, 127_000);
    }

    private static Pacer pacer(int bytesPerSecond) {
        Pacer pacer = new Pacer();
        pacer.configure(bytesPerSecond, MTU_BYTES);
        return pacer;
    }

    private static long bytesPerSecond(Pacer pacer, CongestionControl congestion) {
        send(pacer, 0, congestion);
        long sent = 0;
        for (int ms = 1; ms <= 1_000; ms++) {
            sent += send(pacer, ms * 1_000L, congestion);
        }
        return sent;
    }

    /** Sends as many segments as the pacer releases and returns their size. */
    private static int send(Pacer pacer, long timeUs, CongestionControl congestion) {
        pacer.refill(timeUs, congestion);
        int sent = 0;
        while (pacer.mayPass()) {
            pacer.onSent(MTU_BYTES);
            sent += MTU_BYTES;
        }
        return sent;
    }

    private static CongestionControl paced(long bytesPerSecond) {
        return new CongestionControl() {

            @Override
            public long pacingBytesPerSecond() {
                return bytesPerSecond;
            }

            @Override
            public long burstBytes() {
                return 4_000;
            }

            @Override
            public void onAcknowledged(AckReport report) {
            }

            @Override
            public void onLost(LossReport report) {
            }
        };
    }
}

package io.kcp.netty.internal.admission;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.security.SecureRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class SecondArrivalsTest {

    private static final InetSocketAddress PEER = new InetSocketAddress("192.0.2.1", 4_000);
    private static final InetSocketAddress OTHER_PORT = new InetSocketAddress("192.0.2.1", 4_001);

    private final SecondArrivals arrivals = new SecondArrivals(new SecureRandom());

    @Test
    void entriesDifferByAddressPortAndConversation() {
        assertThat(arrivals.testAndAdd(PEER, 1, 0)).isFalse();
        assertThat(arrivals.testAndAdd(PEER, 2, 0)).isFalse();
        assertThat(arrivals.testAndAdd(OTHER_PORT, 1, 0)).isFalse();
        assertThat(arrivals.testAndAdd(PEER, 1, 200)).isTrue();
    }

    @Test
    void entryIsKnownForOnePeriodAndForgottenAfterTwo() {
        for (int conv = 0; conv < 8; conv++) {
            assertThat(arrivals.testAndAdd(PEER, conv, conv * 1_000L)).isFalse();
        }
        assertThat(arrivals.testAndAdd(PEER, 7, 7_000 + SecondArrivals.MAX_PERIOD_MS)).isTrue();
        assertThat(arrivals.testAndAdd(PEER, 0, 7_000 + SecondArrivals.MAX_PERIOD_MS)).isFalse();
        assertThat(arrivals.testAndAdd(PEER, 7, 1_000_000)).isFalse();
    }

    @Test
    void periodIsShortenedAndRecovers() {
        arrivals.testAndAdd(PEER, 1, 0);
        for (int ms = 0; ms < 1_000; ms++) {
            arrivals.shorten(ms);
        }
        assertThat(arrivals.periodMs()).isEqualTo(SecondArrivals.MIN_PERIOD_MS);
        assertThat(arrivals.testAndAdd(PEER, 2, 1_000)).isFalse();
        assertThat(arrivals.testAndAdd(PEER, 2, 1_200)).as("the first retransmission of a client").isTrue();
        for (int ms = 1_000; ms < 100_000; ms += 100) {
            arrivals.testAndAdd(PEER, 3, ms);
        }
        assertThat(arrivals.periodMs()).isEqualTo(SecondArrivals.MAX_PERIOD_MS);
    }

    @Test
    void periodIsResetIfShorteningDoesNotHelp() {
        arrivals.testAndAdd(PEER, 1, 0);
        for (int ms = 0; ms < SecondArrivals.TRIAL_MS + 1_000; ms++) {
            arrivals.shorten(ms);
        }
        assertThat(arrivals.periodMs()).isEqualTo(SecondArrivals.MAX_PERIOD_MS);
    }

    @Test
    void falsePositiveRateIsLow() {
        int mistaken = 0;
        for (int i = 0; i < 200_000; i++) {
            mistaken += arrivals.testAndAdd(PEER, i, 0) ? 1 : 0;
        }
        assertThat(mistaken).isLessThan(2_000);
    }
}

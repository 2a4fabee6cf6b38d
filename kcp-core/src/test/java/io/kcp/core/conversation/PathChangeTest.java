package io.kcp.core.conversation;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.CongestionAlgorithm;
import io.kcp.core.KcpConfig;
import io.kcp.core.internal.congestion.BbrCongestionControl;
import io.kcp.core.internal.congestion.CubicCongestionControl;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tests which estimates a conversation keeps when its path or its congestion control changes. */
class PathChangeTest {

    private static final int ROUND_TRIP_MS = 10;

    @RegisterExtension
    final LeakCheck leaks = new LeakCheck();

    private DrivenKcp driven;
    private int nextSn;

    private void start(CongestionAlgorithm algorithm) {
        driven = new DrivenKcp(leaks, config(algorithm));
        driven.input(WireSegment.wins(4_096));
    }

    private static KcpConfig config(CongestionAlgorithm algorithm) {
        return KcpConfig.fast3().toBuilder().congestionControl(algorithm).windows(4_096).build();
    }

    /** Sends segments until a number of them was acknowledged after one round trip each. */
    private void exchange(int segments) {
        for (int i = 0; i < segments; i++) {
            driven.sendSmall(1);
            int sentAtMs = driven.runFor(ROUND_TRIP_MS).get(0).atMs();
            nextSn++;
            driven.advance(ROUND_TRIP_MS - (driven.nowMs() - sentAtMs));
            driven.input(WireSegment.ack(nextSn - 1, sentAtMs, nextSn).withWnd(4_096));
        }
    }

    private BbrCongestionControl bbr() {
        return (BbrCongestionControl) driven.kcp.congestion();
    }

    @Test
    void moveForgetsTheRoundTripAndTheBandwidth() {
        start(CongestionAlgorithm.BBR);
        exchange(20);
        assertThat(bbr().bandwidth()).isPositive();
        assertThat(bbr().minRttUs()).isPositive();
        driven.sendSmall(1);
        int oldPathMs = driven.nowMs();
        assertThat(driven.flush()).hasSize(1);
        driven.kcp.path().onMoved(driven.nowMs() + 1);
        driven.advance(ROUND_TRIP_MS);
        assertThat(bbr().bandwidth()).isZero();
        assertThat(bbr().minRttUs()).isZero();
        assertThat(driven.kcp.smoothedRttMs()).isZero();
        driven.input(WireSegment.ack(nextSn, oldPathMs, nextSn + 1).withWnd(4_096));
        assertThat(driven.kcp.smoothedRttMs()).as("the old path is not measured").isZero();
        assertThat(bbr().minRttUs()).isZero();
        assertThat(driven.kcp.isPeerValidated()).isTrue();
    }

    @Test
    void moveRestoresTheInitialWindowOfCubic() {
        start(CongestionAlgorithm.CUBIC);
        driven.sendSmall(10);
        driven.flush();
        driven.advance(ROUND_TRIP_MS);
        for (int sn = 1; sn < 10; sn++) {
            driven.input(WireSegment.ack(sn, 0, 0).withWnd(4_096));
        }
        driven.runFor(100);
        CubicCongestionControl before = (CubicCongestionControl) driven.kcp.congestion();
        assertThat(before.window()).isNotEqualTo(10);
        driven.kcp.path().onMoved(driven.nowMs());
        assertThat(((CubicCongestionControl) driven.kcp.congestion()).window()).isEqualTo(10);
        driven.flush();
        assertThat(((CubicCongestionControl) driven.kcp.congestion()).window()).as("segments of the old path are no losses of the new one")
            .isEqualTo(10);
    }

    /** The segments in flight contain no transmission times in microseconds. */
    @Test
    void segmentsSentBeforeBbrWasEnabledAreNotMeasured() {
        start(CongestionAlgorithm.NONE);
        driven.advance(10_000);
        driven.sendSmall(2);
        driven.flush();
        driven.kcp.reconfigure(config(CongestionAlgorithm.BBR));
        driven.advance(ROUND_TRIP_MS);
        driven.input(WireSegment.ack(0, 10_000, 1).withWnd(4_096));
        driven.input(WireSegment.ack(1, 10_000, 2).withWnd(4_096));
        assertThat(bbr().minRttUs()).isZero();
        assertThat(bbr().bandwidth()).isZero();
        nextSn = 2;
        exchange(10);
        assertThat(bbr().minRttUs()).isBetween(ROUND_TRIP_MS * 1_000L, ROUND_TRIP_MS * 1_000L + 1_000);
    }
}

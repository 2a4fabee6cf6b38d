package io.kcp.core.internal.receive;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.KcpConfig;
import io.kcp.core.LinkState;
import io.kcp.core.conversation.DrivenKcp;
import io.kcp.core.conversation.Kcp;
import io.kcp.core.conversation.LeakCheck;
import io.kcp.core.conversation.WireSegment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The minimum rate is 100 bytes per second, so a peer must accept 1,000 bytes in each period of ten seconds. */
class DrainRateTest {

    private static final int LARGE = 1_000_000;

    @RegisterExtension
    final LeakCheck leaks = new LeakCheck();

    private final DrainRate rate = new DrainRate();

    private void enable() {
        rate.reconfigure(KcpConfig.fast3().toBuilder().minDrainBytesPerSecond(100).build());
    }

    @ParameterizedTest
    @CsvSource({"999, true", "1_000, false"})
    void peerMustAcceptTheMinimumRateInEachPeriod(int acknowledged, boolean tooSlow) {
        enable();
        rate.update(5_000, LARGE, 70, 0);
        rate.update(14_999, LARGE, 70, 0);
        assertThat(rate.isTooSlow()).as("the period has not ended").isFalse();
        rate.update(15_000, LARGE, 70 + acknowledged, 0);
        assertThat(rate.isTooSlow()).isEqualTo(tooSlow);
    }

    @Test
    void laterPeriodsAreMeasuredFromTheirStart() {
        enable();
        rate.update(0, LARGE, 0, 0);
        rate.update(10_000, LARGE, 5_000, 0);
        rate.update(20_000, LARGE, 5_999, 0);
        assertThat(rate.isTooSlow()).isTrue();
        rate.update(30_000, LARGE, LARGE, 0);
        assertThat(rate.isTooSlow()).as("does not change any more").isTrue();
    }

    @ParameterizedTest
    @CsvSource({"499, true", "500, false"})
    void peerNeedNotAcceptMoreThanWasWaiting(int acknowledged, boolean tooSlow) {
        enable();
        rate.update(0, 500, 0, 0);
        rate.update(10_000, LARGE, acknowledged, 0);
        assertThat(rate.isTooSlow()).isEqualTo(tooSlow);
    }

    @Test
    void lateEvaluationRequiresMoreBytes() {
        enable();
        rate.update(0, LARGE, 0, 0);
        rate.update(19_999, LARGE, 1_998, 0);
        assertThat(rate.isTooSlow()).isTrue();
    }

    @ParameterizedTest
    @CsvSource({"20_000, 0", "10_000, 10_000"})
    void clockJumpsAndInactivePeersAreIgnored(int atMs, int inactiveMs) {
        enable();
        rate.update(0, LARGE, 0, 0);
        rate.update(atMs, LARGE, 0, inactiveMs);
        assertThat(rate.isTooSlow()).isFalse();
        assertThat(rate.msUntilUpdate(atMs)).as("a new period has begun").isEqualTo(10_000);
    }

    @Test
    void periodEndsWhenAllDataIsAcknowledged() {
        enable();
        rate.update(0, LARGE, 0, 0);
        rate.update(9_000, 0, 10, 0);
        assertThat(rate.msUntilUpdate(9_000)).isEqualTo(Kcp.NO_DEADLINE);
        rate.update(9_500, LARGE, 10, 0);
        rate.update(10_000, LARGE, 10, 0);
        assertThat(rate.isTooSlow()).isFalse();
        assertThat(rate.msUntilUpdate(10_000)).isEqualTo(9_500);
        assertThat(rate.msUntilUpdate(30_000)).as("overdue").isZero();
        rate.update(19_500, LARGE, 10, 0);
        assertThat(rate.isTooSlow()).isTrue();
    }

    /** The peer accepts one segment per second. */
    @ParameterizedTest
    @CsvSource({"0, ALIVE", "2_000, PEER_TOO_SLOW"})
    void slowPeerFailsOnlyIfARateIsRequired(int minBytesPerSecond, LinkState expected) {
        DrivenKcp sender = new DrivenKcp(leaks, KcpConfig.fast3().toBuilder().minDrainBytesPerSecond(minBytesPerSecond).build());
        for (int i = 0; i < 100; i++) {
            sender.send(new byte[1_000]);
        }
        for (int una = 1; una <= 21; una++) {
            sender.flush();
            sender.advance(1_000);
            sender.input(WireSegment.wins(32).withUna(una));
        }
        assertThat(sender.kcp.linkState(sender.nowMs())).isEqualTo(expected);
    }

    @Test
    void noRateIsRequiredByDefault() {
        assertThat(KcpConfig.fast3().minDrainBytesPerSecond()).isZero();
    }
}

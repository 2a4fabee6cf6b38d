package io.kcp.core.internal.peer;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.KcpConfig;
import io.kcp.core.LinkState;
import io.kcp.core.conversation.Kcp;
import org.junit.jupiter.api.Test;

class PeerLivenessTest {

    private static final KcpConfig CONFIG = KcpConfig.fast();

    private final PeerLiveness liveness = liveness(CONFIG);

    @Test
    void peerIsDeadAfter30SecondsWithoutResponse() {
        update(0, 29_999, true, false);
        assertThat(liveness.state()).isEqualTo(LinkState.ALIVE);
        update(29_999, 30_000, true, false);
        assertThat(liveness.state()).isEqualTo(LinkState.PEER_TIMEOUT);
    }

    @Test
    void inactivityDoesNotCountWhileNoResponseIsDue() {
        update(0, 100_000, false, false);
        assertThat(liveness.state()).isEqualTo(LinkState.ALIVE);
        assertThat(liveness.msUntilUpdate(100_000, false, false)).isEqualTo(Kcp.NO_DEADLINE);
    }

    @Test
    void verifiedDatagramResetsTheCount() {
        update(0, 25_000, true, false);
        liveness.onVerified(false, 25_000);
        update(25_000, 54_000, true, false);
        assertThat(liveness.state()).isEqualTo(LinkState.ALIVE);
        update(54_000, 55_000, true, false);
        assertThat(liveness.state()).isEqualTo(LinkState.PEER_TIMEOUT);
    }

    @Test
    void peerThatAcknowledgesNothingFor30SecondsIsDead() {
        for (int at = 1_000; at < 30_000; at += 1_000) {
            liveness.update(at, true, false);
            liveness.onVerified(true, at);
        }
        assertThat(liveness.state()).isEqualTo(LinkState.ALIVE);
        update(29_000, 31_000, true, false);
        liveness.onVerified(true, 31_000);
        assertThat(liveness.state()).isEqualTo(LinkState.PEER_TIMEOUT);
    }

    @Test
    void progressResetsTheTimeWithoutAcknowledgement() {
        for (int at = 1_000; at < 60_000; at += 1_000) {
            liveness.update(at, true, false);
            liveness.onVerified(at != 25_000 && at != 50_000, at);
        }
        assertThat(liveness.state()).isEqualTo(LinkState.ALIVE);
    }

    @Test
    void clockJumpCountsForAtMostFiveSeconds() {
        for (int i = 1; i <= 5; i++) {
            liveness.update(i * 3_600_000, true, true);
        }
        assertThat(liveness.state()).isEqualTo(LinkState.ALIVE);
    }

    @Test
    void closedWindowFor60SecondsMeansPeerIsNotReading() {
        for (int at = 0; at < 60_000; at += 1_000) {
            liveness.update(at, true, true);
            liveness.onVerified(false, at);
        }
        assertThat(liveness.state()).isEqualTo(LinkState.ALIVE);
        liveness.update(60_000, true, true);
        assertThat(liveness.state()).isEqualTo(LinkState.PEER_NOT_READING);
    }

    @Test
    void openWindowResetsTheCount() {
        update(0, 59_000, false, true);
        liveness.update(59_500, false, false);
        update(59_500, 100_000, false, true);
        assertThat(liveness.state()).isEqualTo(LinkState.ALIVE);
    }

    @Test
    void bothTimeoutsCanBeDisabled() {
        liveness.reconfigure(CONFIG.toBuilder().deadPeerTimeoutMs(0).zeroWindowTimeoutMs(0).build());
        update(0, 200_000, true, true);
        assertThat(liveness.state()).isEqualTo(LinkState.ALIVE);
        assertThat(liveness.msUntilUpdate(200_000, true, true)).isEqualTo(Kcp.NO_DEADLINE);
    }

    @Test
    void exhaustedTransmissionsEndTheConversation() {
        liveness.onTransmissionsExhausted();
        assertThat(liveness.state()).isEqualTo(LinkState.TRANSMISSIONS_EXHAUSTED);
    }

    @Test
    void updatesAreDueBeforeTheCountedTimeEnds() {
        assertThat(liveness.msUntilUpdate(0, true, false)).isEqualTo(5_000);
        update(0, 28_000, true, false);
        assertThat(liveness.msUntilUpdate(28_000, true, false)).isEqualTo(2_000);
        assertThat(liveness(CONFIG).msUntilUpdate(0, false, true)).isEqualTo(5_000);
    }

    @Test
    void pingIsRepeatedEveryFiveSecondsUntilVerified() {
        liveness.startPing(0);
        assertThat(liveness.isPinging()).isTrue();
        assertThat(liveness.takePingDue(4_999)).isFalse();
        assertThat(liveness.msUntilUpdate(4_999, false, false)).isEqualTo(1);
        assertThat(liveness.takePingDue(5_000)).isTrue();
        assertThat(liveness.takePingDue(5_000)).as("the ping is due only once").isFalse();
        assertThat(liveness.takePingDue(10_000)).isTrue();
        liveness.onVerified(false, 10_000);
        assertThat(liveness.isPinging()).isFalse();
        assertThat(liveness.takePingDue(20_000)).isFalse();
        assertThat(liveness.msUntilUpdate(20_000, false, false)).isEqualTo(Kcp.NO_DEADLINE);
    }

    @Test
    void peerIsInactiveAfterTheRetransmissionTimeout() {
        liveness.update(0, true, false);
        liveness.update(300, true, false);
        assertThat(liveness.isInactive(300)).isFalse();
        liveness.update(301, true, false);
        assertThat(liveness.isInactive(300)).isTrue();
    }

    private static PeerLiveness liveness(KcpConfig config) {
        return new PeerLiveness(config, 0);
    }

    /** Updates every 500 ms, as flushes do. */
    private void update(int fromMs, int toMs, boolean outstanding, boolean refused) {
        for (int at = fromMs; at < toMs; at += 500) {
            liveness.update(at, outstanding, refused);
        }
        liveness.update(toMs, outstanding, refused);
    }
}

package io.kcp.core.conversation;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.KcpConfig;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A segment recovered by FEC is acknowledged only when its group is complete, so its delay is not a round-trip sample. */
class KcpParityTest {

    private static final int ROUND_TRIP_MS = 50;
    private static final int GROUP_MS = 140;

    @RegisterExtension
    final LeakCheck leaks = new LeakCheck();

    private static void sendAndAcknowledge(DrivenKcp driven, int sn) {
        driven.sendSmall(1);
        driven.flush();
        int sentAtMs = driven.nowMs();
        driven.advance(ROUND_TRIP_MS);
        driven.input(WireSegment.ack(sn, sentAtMs, sn + 1));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void ackOfRecoveredSegmentDoesNotDelayTimeouts(boolean parity) {
        DrivenKcp driven = new DrivenKcp(leaks, KcpConfig.fast3());
        if (parity) {
            driven.output.parityFollows();
            driven.kcp.reconfigure(KcpConfig.fast3());
        }
        for (int sn = 0; sn < 20; sn++) {
            sendAndAcknowledge(driven, sn);
        }
        driven.sendSmall(2);
        driven.flush();
        int sentAtMs = driven.nowMs();
        driven.advance(ROUND_TRIP_MS);
        driven.input(WireSegment.ack(21, sentAtMs, 20));
        driven.advance(GROUP_MS - ROUND_TRIP_MS);
        driven.input(WireSegment.ack(20, sentAtMs, 22));
        for (int sn = 22; sn < 32; sn++) {
            sendAndAcknowledge(driven, sn);
        }
        driven.sendSmall(1);
        driven.flush();
        int patienceMs = driven.kcp.nextDeadline(driven.nowMs());
        if (parity) {
            assertThat(patienceMs).isLessThan(GROUP_MS);
        } else {
            assertThat(patienceMs).as("the path may be that slow again").isGreaterThan(GROUP_MS);
        }
    }
}

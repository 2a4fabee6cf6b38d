package io.kcp.core.conversation;

import static org.assertj.core.api.Assertions.assertThat;

import io.kcp.core.EarlyRetransmit;
import io.kcp.core.KcpConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tests that acknowledgements that skip a segment cause only a limited number of fast retransmissions of the segment. */
class FastRetransmitLimitTest {

    private static final int LIMIT = 3;
    private static final int SEGMENTS = 100;

    @RegisterExtension
    final LeakCheck leaks = new LeakCheck();

    private final DrivenKcp driven = new DrivenKcp(leaks, KcpConfig.fast3().toBuilder().adaptiveReordering(false)
        .earlyRetransmit(EarlyRetransmit.OFF).minRtoMs(10_000).fastResend(2).fastResendLimit(LIMIT).windows(SEGMENTS).build());

    private long acknowledgeAndCount(int sn) {
        driven.input(WireSegment.ack(sn, driven.nowMs(), 0));
        return driven.flush().stream().filter(segment -> segment.isPush() && segment.sn() == 0).count();
    }

    @Test
    void oneSkipCausesNoRetransmission() {
        driven.input(WireSegment.wins(SEGMENTS));
        driven.sendSmall(3);
        driven.flush();
        assertThat(acknowledgeAndCount(1)).isZero();
        assertThat(acknowledgeAndCount(2)).isEqualTo(1);
    }

    @Test
    void fastRetransmissionsOfASegmentAreLimited() {
        driven.input(WireSegment.wins(SEGMENTS));
        long retransmissions = 0;
        for (int sn = 0; sn < SEGMENTS - 1; sn++) {
            driven.sendSmall(1);
            driven.flush();
            retransmissions += sn == 0 ? 0 : acknowledgeAndCount(sn);
        }
        assertThat(retransmissions).isEqualTo(LIMIT);
        assertThat(driven.kcp.stats().fastRetransmissions()).isEqualTo(LIMIT);
    }
}
